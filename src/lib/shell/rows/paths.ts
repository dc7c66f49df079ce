/** Data: files and folders that control the agent or run something later, and files that usually hold credentials. */

/** Files of a git repository that make later commands run something, or redirect the repository. */
export const OF_GIT =
  /^(?:hooks|config|config\.worktree|modules|worktrees|commondir|gitdir|head|info\/(?:attributes|grafts)|objects\/info\/(?:http-)?alternates|rebase-merge\/git-rebase-todo)(?=\/|$)/

/** They control the agent or run something later: written only if a user rule names them. undefined: all. */
export const PROTECTED_FOLDERS: ReadonlyMap<string, RegExp | undefined> = new Map([
  ['.claude', /^(?:settings[^/]*\.json|hooks|plugins|agents|commands|skills)(?=\/|$)/],
  ['.carabiner', undefined],
  ['.codex', /^(?:config\.toml|hooks\.json)$/],
  ['.copilot', /^(?:hooks|(?:settings|config|mcp-config)\.json)(?=\/|$)/],
  ['.cursor', /^(?:hooks|mcp)\.json$/],
  ['.gemini', /^(?:settings\.json|extensions|hooks)(?=\/|$)/],
  ['.pi', /^(?:agent\/)?(?:extensions|settings\.json)(?=\/|$)/],
  ['.qwen', /^(?:settings\.json|extensions|hooks)(?=\/|$)/],
  ['.git', OF_GIT],
  ['.husky', undefined],
  ['.ssh', undefined],
  ['.vscode', /^(?:tasks|settings|launch)\.json$/],
  ['.idea', undefined],
  ['.devcontainer', undefined],
  ['.zed', undefined],
  ['.helix', undefined],
  ['.emacs.d', undefined],
  ['.vim', undefined],
  ['.mvn', undefined],
  ['.hg', /^hgrc(?:-not-shared)?$/],
  ['fish', /^(?:config\.fish|conf\.d|functions)(?=\/|$)/]
])
/** The same for folders that hold much else: naming the folder alone matches nothing. */
export const SHARED: typeof PROTECTED_FOLDERS = new Map([
  ['.bundle', /^config$/],
  ['.github', /^hooks(?=\/|$)/],
  ['.cargo', /^config(?:\.toml)?$/],
  ['.yarn', /^(?:plugins|releases)(?=\/|$)/],
  ['.config', /^(?:autostart|direnv|environment\.d|git\/(?:attributes|config)|helix|nvim|pip|systemd|tmux)(?=\/|$)/]
])
export const PROTECTED_FILES: ReadonlySet<string> = new Set(
  `.bash_aliases .bash_login .bash_logout .bash_profile .bashrc .bazelrc .claude.json .cshrc .emacs .envrc .exrc .gdbinit
  .gemrc .git .gitconfig .gitmodules .gvimrc .inputrc .irbrc .kshrc .lldbinit .login .mcp.json .npmrc .nvim.lua .nvimrc .pdbrc
  .pnpmfile.cjs .pnpmfile.mjs .profile .pryrc .psqlrc .rprofile .screenrc .tcshrc .tmux.conf .vimrc .xinitrc .xprofile
  .xsession .xsessionrc .yarnrc .yarnrc.yml .zlogin .zlogout
  .zprofile .zshenv .zshrc`.split(/\s+/)
)

export const SECRETS =
  /(?:^|\/)(?:\.env(?:\.(?!example$|sample$|template$|dist$)[^/]*)?|\.netrc|\.pgpass|\.npmrc|\.pypirc|\.htpasswd|\.git-credentials|id_(?:rsa|dsa|ecdsa|ed25519)|[^/]*\.(?:pem|key|p12|pfx|keystore|jks|kdbx)|credentials(?:\.json)?|secrets?\.(?:json|ya?ml|toml)|\.(?:aws|ssh|gnupg|kube|docker)(?:\/.*)?)$/i
