/** Data: git. Its reading commands start nothing where the configuration of the repository names no program. */
const DIFF = `-p -u -s -U? -M? -C? -B? -D -R -a -b -w -W -z -r -t -c -S= -G= -O! --patch --no-patch --unified? --raw --patch-with-raw --patch-with-stat --minimal --patience --histogram --stat? --numstat --shortstat
  --dirstat? --summary --name-only --name-status --color? --no-color --color-moved? --color-words? --word-diff? --word-diff-regex= --no-renames --rename-empty --check --full-index --binary --abbrev?
  --find-renames? --find-copies? --find-copies-harder --diff-filter= --pickaxe-all --pickaxe-regex --skip-to= --rotate-to= --relative? --text --ignore-cr-at-eol --ignore-space-at-eol --ignore-space-change
  --ignore-all-space --ignore-blank-lines --ignore-matching-lines= --inter-hunk-context= --function-context --exit-code --quiet -q --no-ext-diff --no-textconv --ext-diff~ --textconv~ --output>
  --ignore-submodules? --submodule~ --src-prefix= --dst-prefix= --no-prefix --line-prefix= --no-index~ --compact-summary --indent-heuristic --diff-algorithm=`
const LOG = `-n= -# -i -E -F -P -g -m --max-count= --skip= --since= --after= --until= --before= --author= --committer= --grep= --all-match --invert-grep --regexp-ignore-case --extended-regexp --fixed-strings
  --perl-regexp --merges --no-merges --min-parents= --max-parents= --first-parent --not --all --branches? --tags? --remotes? --glob= --exclude= --reflog --walk-reflogs --cherry-mark --cherry-pick --cherry --left-only
  --right-only --left-right --boundary --simplify-by-decoration --full-history --dense --sparse --ancestry-path? --show-pulls --date-order --author-date-order --topo-order --reverse --no-walk? --pretty?format --format=format
  --abbrev-commit --no-abbrev-commit --oneline --encoding= --notes? --no-notes --date= --parents --children --graph --show-linear-break? --follow --no-decorate --decorate? --decorate-refs= --decorate-refs-exclude=
  --source --log-size --use-mailmap --mailmap --no-mailmap -L=lines --clear-decorations --no-expand-tabs --cc --show-signature~`

export const GIT: Readonly<Record<string, string>> = {
  git: 'changes posix listed | -P --no-pager --no-optional-locks --no-replace-objects --literal-pathspecs --no-advice --version. -v. -c! -C!exact --git-dir!exact --work-tree!exact --exec-path!exact --config-env!exact --namespace!exact -p~exact --paginate~exact --bare~exact | sub?',
  'git status':
    'reads git | -s -b -v -z -u? --short --branch --verbose --porcelain? --long --show-stash --untracked-files? --ignored? --ignore-submodules? --column? --no-column --ahead-behind --no-ahead-behind --renames --no-renames --find-renames? | rev*',
  'git diff': `reads git | ${DIFF} --cached --staged --merge-base -0 -1 -2 -3 --base --ours --theirs | rev*`,
  'git log': `reads git | ${LOG} ${DIFF} | rev*`,
  'git show': `reads git | ${LOG} ${DIFF} | rev*`,
  'git whatchanged': 'as git log',
  'git shortlog':
    'reads git | -n -s -e -c -w? --numbered --summary --email --since= --until= --author= --grep= --no-merges --all --group= | rev+',
  'git reflog': `reads git | ${LOG} | reflog?`,
  'git diff-tree': `reads git | -r -t -v --root --no-commit-id --stdin ${DIFF} ${LOG} | rev+`,
  'git rev-parse':
    'reads git | -q --verify --quiet --short? --abbrev-ref? --symbolic --symbolic-full-name --show-toplevel --show-prefix --show-cdup --show-superproject-working-tree --git-dir --git-common-dir --absolute-git-dir --is-inside-work-tree --is-inside-git-dir --is-bare-repository --is-shallow-repository --all --branches? --tags? --remotes? --verify --revs-only --no-revs --flags --no-flags --default= --git-path= --end-of-options --path-format= | rev*',
  'git rev-list': `reads git | --count --objects --timestamp --header --no-object-names --in-commit-order ${LOG} | rev*`,
  'git describe':
    'reads git | --all --tags --contains --abbrev? --candidates= --exact-match --long --match= --exclude= --always --first-parent --dirty~ --broken~ | rev*',
  'git ls-files':
    'reads git | -c -d -m -o -i -s -u -k -z -t -v -x= --cached --deleted --modified --others --ignored --stage --unmerged --killed --directory --exclude= --exclude-standard --error-unmatch --full-name --abbrev? --format= --eol --deduplicate --recurse-submodules~ | rev*',
  'git ls-tree':
    'reads git | -d -r -t -l -z --name-only --name-status --object-only --full-name --full-tree --abbrev? --format=format --long | rev+',
  'git cat-file': 'reads git | -t -s -e -p --batch? --batch-check? --batch-all-objects | rev*',
  'git show-ref':
    'reads git | -s -d -q --head --heads --branches --tags --dereference --hash? --verify --abbrev? --quiet --exists | rev*',
  'git for-each-ref':
    'reads git | --count= --sort=sortkey --format=format --color? --points-at= --merged? --no-merged? --contains? --no-contains? --ignore-case --omit-empty --exclude= | rev*',
  'git merge-base': 'reads git | -a --all --octopus --independent --is-ancestor --fork-point | rev+',
  'git name-rev': 'reads git | --tags --refs= --all --name-only --no-undefined --always | rev*',
  'git blame':
    'reads git | -L= -b -c -e -f -l -n -p -s -t -w -M? -C? --root --show-stats --line-porcelain --porcelain --incremental --encoding= --date= --score-debug --show-name --show-number --show-email --abbrev? --since= --ignore-rev= --first-parent --color-lines --color-by-age --reverse | rev+',
  'git annotate': 'as git blame',
  'git grep':
    'reads git | -a -i -I -v -w -h -H -E -G -P -F -n -l -L -z -o -c -p -W -q -r -# -e^ -f<^ -A= -B= -C= -m= --cached --no-index~ --untracked~ --text --ignore-case --invert-match --word-regexp --extended-regexp --basic-regexp --perl-regexp --fixed-strings --line-number --column --files-with-matches --name-only --files-without-match --null --only-matching --count --all-match --color? --no-color --break --heading --show-function --context= --after-context= --before-context= --function-context --threads= --quiet --max-depth= --max-count= --recurse-submodules~ --exclude-standard --and --or --not --full-name -O~exact --open-files-in-pager~exact --textconv~ | text rev*',
  'git count-objects': 'reads git | -v -H --verbose --human-readable | none',
  'git check-ignore': 'reads git | -q -v -n -z --quiet --verbose --non-matching --no-index | rev+',
  'git check-attr': 'reads git | -a -z --all --cached | rev+',
  'git var': 'asks',
  'git version': 'reads | --build-options | none',
  'git help': 'asks',
  'git branch':
    'reads git | -a -r -l -v -q --all --remotes --list --verbose --show-current --color? --no-color --column? --no-column --sort=sortkey --points-at= --format=format --abbrev? --no-abbrev --merged? --no-merged? --contains? --no-contains? | none',
  'git branch #':
    'changes hooks | -a -r -l -v -q -d -D -m -M -c -C -f -t -i -u= --all --remotes --list --verbose --quiet --delete --move --copy --force --show-current --color? --no-color --column? --no-column --sort=sortkey --merged? --no-merged? --contains? --no-contains? --points-at= --format=format --abbrev? --no-abbrev --track? --no-track --set-upstream-to= --unset-upstream --ignore-case --create-reflog --edit-description~exact | rev*',
  'git tag':
    'reads git | -l -n? --list --sort=sortkey --points-at= --format=format --column? --color? --merged? --no-merged? --contains? --no-contains? | none',
  'git tag #':
    'changes hooks | -l -n? -d -v~ -f -a -m= --list --sort=sortkey --contains? --no-contains? --merged? --no-merged? --points-at= --format=format --column? --color? --delete --force --annotate --message= --ignore-case --cleanup= -s~ -u! -F! --sign~ --no-sign -e~exact | rev*',
  'git remote': 'reads git listed | -v --verbose | sub?',
  'git remote get-url': 'reads git | --push --all | rev',
  'git remote show': 'changes git | -n | remote*',
  'git remote prune': 'changes git | -n --dry-run | remote+',
  'git remote update': 'changes hooks | -p --prune | remote*',
  'git stash':
    'changes hooks listed | -u -k -q -a~ -p~ -S -m= --include-untracked --keep-index --no-keep-index --quiet --all~ --staged | sub?',
  'git stash list': `reads git | ${LOG} ${DIFF} | none`,
  'git stash show': `reads git | -u --include-untracked --only-untracked ${DIFF} | rev?`,
  'git stash push':
    'changes hooks | -u -k -q -a~ -S -m= --include-untracked --keep-index --no-keep-index --quiet --all~ --staged --message= | rev*',
  'git stash save': 'changes hooks | -u -k -q -a~ --include-untracked --keep-index --quiet --all~ | text*',
  'git stash pop': 'changes hooks | -q --index --quiet | rev?',
  'git stash apply': 'as git stash pop',
  'git stash drop': 'changes hooks | -q --quiet | rev?',
  'git stash clear': 'changes hooks || none',
  'git add':
    'changes git | -n -v -f~ -u -A -N -i~ -p~ -e~exact --dry-run --verbose --force~ --update --all --no-all --no-ignore-removal --ignore-removal --intent-to-add --refresh --ignore-errors --ignore-missing --renormalize --sparse --chmod= | rev*',
  'git rm': 'changes git | -n -r -f -q --dry-run --cached --force --quiet --ignore-unmatch | changed+',
  // What is in a folder has other names afterwards.
  'git mv': 'changes git deep | -n -f -k -v --dry-run --force --verbose | changed+',
  'git restore':
    'changes git | -s= -S -W -q -m --source= --staged --worktree --quiet --progress --no-progress --ours --theirs --merge --conflict= --overlay --no-overlay --ignore-unmerged | changed+',
  'git checkout':
    'changes hooks | -b= -B= -q -f -t -l -m -d --quiet --force --track? --no-track --detach --orphan= --ours --theirs --merge --conflict= --progress --no-progress --guess --no-guess --overlay --no-overlay --overwrite-ignore | changed*',
  'git switch':
    'changes hooks | -c= -C= -d -q -f -m -t --create= --force-create= --detach --guess --no-guess --quiet --force --discard-changes --merge --conflict= --track? --no-track --orphan= --progress --no-progress | rev?',
  'git reset':
    'changes git | -q -N --quiet --soft --mixed --hard --merge --keep --intent-to-add --refresh --no-refresh | changed*',
  'git clean': 'changes git | -d -f -n -q -x -X -e= --force --dry-run --quiet --exclude= -i~ | changed*',
  'git commit':
    'changes hooks | -a -q -v -s -n -m= -C= -F< --all --quiet --verbose --signoff --no-signoff --no-verify --message= --amend --no-edit --allow-empty --allow-empty-message --author= --date= --reset-author --dry-run --short --porcelain --long --status --no-status --reuse-message= --file< --no-post-rewrite --only --include --untracked-files? --cleanup= --trailer= --no-gpg-sign -S~ --gpg-sign~ -e~exact --edit~exact -c! -t! --template! -p~ --patch~ | rev*',
  'git merge':
    'changes hooks | -n -q -v -m= --commit --no-commit --ff --no-ff --ff-only --stat --no-stat --squash --no-squash --no-edit --quiet --verbose --progress --no-progress --abort --continue~exact --quit --log? --no-log --signoff --no-verify --allow-unrelated-histories --autostash --no-autostash -X= --strategy-option= -s! --strategy! -S~ -e~exact --edit~exact --no-gpg-sign | rev*',
  'git rebase':
    'changes hooks | -q -v -n --onto= --keep-base --abort --skip~exact --quit --show-current-patch --autostash --no-autostash --quiet --verbose --stat --no-stat --no-verify --no-ff --force-rebase -f --fork-point --no-fork-point --update-refs --no-update-refs --autosquash~ --no-autosquash --root --rebase-merges? --committer-date-is-author-date --reset-author-date --empty= -X= --strategy-option= -i~exact --interactive~exact -x! --exec! --continue~exact --edit-todo~exact -s! --strategy! -S~ | rev*',
  'git cherry-pick':
    'changes hooks | -n -x -s -m= --no-commit --signoff --abort --quit --skip~exact --ff --allow-empty --allow-empty-message --keep-redundant-commits --mainline= -X= -e~exact --edit~exact --continue~exact -S~ --strategy! | rev*',
  'git revert':
    'changes hooks | -n -s -m= --no-commit --no-edit --signoff --abort --quit --skip~exact --mainline= -e~exact --edit~exact --continue~exact -S~ --strategy! | rev*',
  'git fetch':
    'changes hooks | -a -p -t -n -q -v -f -k -j= -4 -6 --all --append --prune --prune-tags --tags --no-tags --quiet --verbose --force --keep --depth= --deepen= --unshallow --shallow-since= --jobs= --progress --dry-run --atomic --porcelain --set-upstream --update-shallow --refetch --ipv4 --ipv6 --no-recurse-submodules -u~ --upload-pack! --recurse-submodules~ -o! --server-option! | remote? rev*',
  'git pull':
    'changes hooks | -q -v -p -t -f --quiet --verbose --rebase?rebase --no-rebase --ff --ff-only --no-ff --all --prune --tags --no-tags --depth= --force --progress --autostash --no-autostash --stat --no-stat --squash --no-edit --allow-unrelated-histories --no-verify -r --upload-pack! -s! -X= | remote? rev*',
  'git push':
    'changes hooks | -u -q -v -n -d -f --all --branches --tags --follow-tags --set-upstream --quiet --verbose --dry-run --delete --force --force-with-lease? --force-if-includes --no-verify --prune --progress --atomic --porcelain --no-signed -4 -6 --receive-pack! --exec! -o! --push-option! --signed~ --repo! --mirror~ --recurse-submodules! | remote? rev*',
  'git ls-remote':
    'changes git | -b -h -t -q --heads --branches --tags --refs --quiet --exit-code --get-url --sort=sortkey --symref --upload-pack! | remote? rev*',
  'git clone':
    'changes | -q -v -n -b= -o= -l -s -j= --quiet --verbose --no-checkout --branch= --origin= --depth= --single-branch --no-single-branch --no-tags --shallow-since= --jobs= --bare --progress --sparse --filter= --recursive --recurse-submodules? --shallow-submodules --reject-shallow --mirror -c! --config! -u! --upload-pack! --template! --separate-git-dir! --reference! --bundle-uri! --server-option! | cloned inside?',
  'git init':
    'changes | -q -b= --quiet --initial-branch= --bare --object-format= --template! --separate-git-dir! --shared? | inside?',
  'git config': 'changes listed || sub',
  'git config get':
    'reads git | --all --show-origin --show-scope --show-names --regexp --value= --default= --type= --local --global | text',
  'git config list': 'reads git | --show-origin --show-scope --name-only --local --global | none',
  'git worktree': 'changes listed || sub',
  'git worktree list': 'reads git | -v --porcelain -z --verbose | none',
  'git bisect': 'changes listed || sub',
  'git bisect start': 'changes hooks || rev*',
  'git bisect good': 'changes hooks || rev*',
  'git bisect bad': 'changes hooks || rev*',
  'git bisect skip': 'changes hooks || rev*',
  'git bisect reset': 'changes hooks || rev?',
  'git bisect run': 'asks',
  'git bisect log': 'reads git || none',
  // The others work in repositories below .git/modules, also in those of no known name.
  'git submodule': 'reads git listed | -q --quiet | sub?',
  'git submodule status': 'reads git | --cached --recursive | rev*',
  'git submodule update': 'asks',
  'git submodule foreach': 'asks',
  'git submodule init': 'asks',
  'git submodule sync': 'asks',
  'git gc': 'changes hooks | --auto --prune? --quiet --no-prune | none',
  'git fsck': 'reads git | --full --no-dangling --unreachable --no-progress --strict | none',
  // Which files a patch changes is only in the patch.
  'git apply': 'asks inert | -p= -C= -R -3 -v -q --stat --check --index --cached --3way --reverse --verbose | read*',
  // They run what they are given, or what the repository brings.
  ...Object.fromEntries(
    `am archive bugreport checkout-index credential daemon difftool fast-export fast-import filter-branch for-each-repo format-patch hook http-backend imap-send instaweb interpret-trailers maintenance merge-file merge-index
    merge-one-file mergetool p4 pack-objects quiltimport receive-pack replace request-pull send-email send-pack sh-i18n shell show-index submodule--helper svn upload-archive upload-pack web--browse gui citool gitk`
      .split(/\s+/)
      .map(name => [`git ${name}`, 'asks'])
  )
}
