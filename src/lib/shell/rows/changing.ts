/** Data: programs that change what they name, or what their name says, and start nothing. */
export const CHANGING: Readonly<Record<string, string>> = {
  chmod: 'changes inert sweeps | -R -v -c -f --recursive --verbose --changes --silent | text write+',
  chown: 'changes inert sweeps | -R -v -c -f -h --recursive --verbose --changes | text write+',
  cp: `changes inert copies | -a* -d -f -i -l~ -L** -n -p -P -r* -R* -s~ -u -v -x -T --archive* --force --interactive --no-clobber --no-dereference --dereference** --preserve?
    --recursive* --update? --verbose --parents --no-target-directory --reflink? | read+ write`,
  dd: 'asks inert',
  install: 'asks inert',
  kill: 'changes inert | -s= -l -# | text*',
  // What is linked can be read and written under another name.
  ln: 'changes inert deep copies | -s -f -n -v -r -T --symbolic --force --no-dereference --verbose --relative | changed write',
  mkdir: 'changes inert | -p -v -m= --parents --verbose --mode= | write+',
  mkfifo: 'changes inert | -m= | write+',
  mktemp: 'changes inert | -d -u -q | none',
  mv: 'changes inert deep copies | -f -i -n -u -v -T --force --interactive --no-clobber --update? --verbose --no-target-directory | changed+ write',
  rm: 'changes inert sweeps | -d -f -i -I -r -R -v --dir --force --interactive? --recursive --verbose --one-file-system --preserve-root? | write+',
  rmdir: 'changes inert | -p -v --parents --ignore-fail-on-non-empty --verbose | write+',
  tee: 'changes inert | -a -i --append --ignore-interrupts | write*',
  touch: 'changes inert | -a -c -m -h -d= -t= -r< --no-create --date= --reference< --time= | write+',
  truncate: 'changes inert | -c -s= -r< --size= --no-create --reference< | write+',
  split: 'asks',
  // Which files it changes is only in the patch.
  patch: 'asks inert',
  rsync: `changes copies | -a* -v -z -r* -n -h -P -u -c -l -p -t -g -o -D -H -x -W -q -i -m --archive* --verbose --compress --recursive* --dry-run --human-readable --progress --partial --update --checksum --delete
    --delete-after --delete-excluded --exclude= --include= --exclude-from< --include-from< --stats --info= --itemize-changes --ignore-existing --size-only --times --perms --links --hard-links --quiet --prune-empty-dirs
    --max-size= --bwlimit= -e! --rsh! --rsync-path! --files-from! --daemon~ --config! --log-file> -T! --temp-dir! --backup-dir! -M! | from+ to`,
  shuf: 'reads inert | -i= -n= -r -z --input-range= --head-count= --repeat -o> --output> | read?',
  'shuf -e': 'reads inert | -n= -r -z --head-count= --repeat | text*',
  tar: `changes bundled | -f=archive -C=inside -c -x -t -r -u -z -j -J -v -p -h** -k -m -O -P~ -I! -F! -T! -X< -W --file=archive --directory=inside --create --extract --get --list --append --update --gzip --gunzip
    --bzip2 --xz --zstd --auto-compress -a --verbose --exclude= --exclude-from< --exclude-vcs --strip-components= --wildcards --keep-old-files --same-owner --no-same-owner --checkpoint?
    --checkpoint-action! --to-command! --use-compress-program! --rsh-command! --rmt-command! --info-script! --new-volume-script! --owner= --group= --mtime= --sort= --transform! --numeric-owner
    | deep*`,
  unzip: 'changes | -l -t -v -q -o -n -j -p -d=inside | read text*',
  zip: 'changes | -r** -q -v -j -9 -# -u -x= | write read*',
  zipinfo: 'reads inert | -1 -l -m -v -h -t | read text*',
  yes: 'reads any || text*',
  chgrp: 'as chown',

  // What they reach is not on this machine.
  curl: `changes | -s -S -f -i -I -L -v -k -g -4 -6 -# -N -H=head -X= -d=head -A= -e= -m= -u= -b=cookie -w=printed -r= -G --silent --show-error --fail --fail-with-body --include --head --location
    --verbose --insecure --globoff --header=head --request= --data=head --data-raw= --json=head --user-agent= --referer= --max-time= --connect-timeout= --retry= --retry-delay=
    --retry-all-errors --user= --compressed --http1.1 --http2 --ipv4 --ipv6 --get --no-progress-meter --no-buffer --max-redirs= --cookie=cookie --url=url --write-out=printed --range= --resolve!
    -o> -O~ -K! --config! --output> --remote-name~ -T! --upload-file! -F! --form! -x! --proxy! --cacert! --cert! --key! --engine! --unix-socket! --dump-header> -D> --netrc-file! --trace>
    | url+`,
  dig: 'changes | -x= -t= -4 -6 | text+',
  host: 'changes | -t= -4 -6 | text+',
  nslookup: 'changes || text+',
  ping: 'changes | -c= -i= -w= -W= -n -q -4 -6 | text',
  // It starts git.
  gh: 'changes listed || sub',
  'gh pr': 'changes listed || sub',
  'gh issue': 'changes listed || sub',
  'gh run': 'changes listed || sub',
  'gh repo': 'changes listed || sub',
  'gh release': 'changes listed || sub',
  'gh auth': 'changes listed || sub',
  'gh auth status': 'changes git || none',
  'gh pr list':
    'changes git | -s= -L= -l= -a= -A= -B= -H= --state= --limit= --label= --assignee= --author= --base= --head= --json= -q=filter --jq=filter --search= -S= -R= --repo= | none',
  'gh pr view': 'changes git | -c --comments --json= -q=filter --jq=filter -R= --repo= | text?',
  'gh pr status': 'changes git | --json= -q=filter --jq=filter -R= --repo= | none',
  'gh pr diff': 'changes git | --name-only --patch --color= -R= --repo= | text?',
  'gh pr checks': 'changes git | --watch --required --json= -R= --repo= | text?',
  // It may push.
  'gh pr create':
    'changes hooks | -t= -b= -B= -H= -d -f -l= -a= -r= -R= --title= --body= --base= --head= --draft --fill --label= --assignee= --reviewer= --repo= -F< --body-file< | none',
  'gh pr comment': 'changes git | -b= --body= -R= --repo= -F< --body-file< | text?',
  'gh issue list': 'as gh pr list',
  'gh issue view': 'as gh pr view',
  'gh issue create':
    'changes git | -t= -b= -l= -a= -R= --title= --body= --label= --assignee= --repo= -F< --body-file< | none',
  'gh issue comment': 'as gh pr comment',
  'gh run list':
    'changes git | -b= -w= -L= -s= -u= --branch= --workflow= --limit= --status= --user= --json= -q=filter --jq=filter -R= --repo= | none',
  'gh run view':
    'changes git | -v --log --log-failed -j= --job= --json= -q=filter --jq=filter --exit-status -R= --repo= | text?',
  'gh run watch': 'changes git | --exit-status -i= --interval= --compact -R= --repo= | text?',
  'gh repo view': 'changes git | --json= -q=filter --jq=filter -b= --branch= | text?',
  'gh release list': 'changes git | -L= --limit= --json= -R= --repo= | none',
  'gh release view': 'changes git | --json= -R= --repo= | text?'
}
