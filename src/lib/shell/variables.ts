/** `NAME=value`, `NAME+=value`, `NAME[1]=value`. */
export const isAssignment = (word: string): boolean => /^[A-Za-z_]\w*(?:\[.*\])?\+?=/s.test(word)

/** They change what programs print, and start nothing. */
const HARMLESS =
  /^(?:CI|CLICOLOR|CLICOLOR_FORCE|COLORTERM|COLUMNS|DEBUG|DEBUG_COLORS|FORCE_COLOR|LANG|LANGUAGE|LC_[A-Z]+|LINES|LOG_LEVEL|NODE_ENV|NO_COLOR|NO_UPDATE_NOTIFIER|PORT|RUST_BACKTRACE|RUST_LOG|TERM|TZ|VERBOSE|PYTHONUNBUFFERED|PYTHONDONTWRITEBYTECODE|GIT_OPTIONAL_LOCKS|BABEL_ENV|NODE_NO_WARNINGS|TS_NODE_TRANSPILE_ONLY|DOTNET_CLI_TELEMETRY_OPTOUT|HUSKY|APP_ENV|RAILS_ENV|RACK_ENV|FLASK_ENV|DJANGO_DEBUG)=[\w.,:@+%*/-]*$/

export const isHarmlessVariable = (assignment: string): boolean =>
  HARMLESS.test(assignment) && !/=(?:.*\.\.|[/.-])/.test(assignment)

/** They say what is run, or where settings and libraries are found. */
const STEERS =
  /^(?:PATH|CDPATH|HOME|SHELL|ENV|IFS|TMPDIR|EXINIT|VIMINIT|MYVIMRC|INPUTRC|HISTFILE|ZDOTDIR|TERMINFO\w*|LOCPATH|NLSPATH|GCONV_PATH|HOSTALIASES|POSIXLY_CORRECT|PROMPT_COMMAND|SHELLOPTS|BASHOPTS|BASH_\w+|PS\d|FCEDIT|VISUAL|MAIL\w*|CC|CXX|CPP|LD|AS|AR|FC|CFLAGS|CXXFLAGS|LDFLAGS|MAKE\w*|MFLAGS|GNUMAKEFLAGS|GO\w*|CGO_\w+|CARGO\w*|RUST(?!_BACKTRACE|_LOG)\w*|RUSTC\w*|JAVA_\w+|_JAVA_OPTIONS|JDK_\w+|CLASSPATH|MAVEN_\w+|GRADLE_\w+|npm_\w+|NPM_\w+|YARN_\w+|PNPM_\w+|BUNDLE_\w+|GEM_\w+|PIP_\w+|UV_\w+|LUA_\w+|R_\w+|JULIA_\w+|OPENSSL_\w+|SSL_\w+|CURL_\w+|WGETRC|DOCKER_\w+|KUBECONFIG|AWS_\w+|SSH_\w+|RSYNC_\w+|CVS_\w+|XDG_\w+|DBUS_\w+|LD_\w+|DYLD_\w+|LESS\w*|MAN\w*|TAR_OPTIONS|GZIP|ZIPOPT|UNZIP|GREP_\w+|RIPGREP_CONFIG_PATH|GIT_(?!OPTIONAL_LOCKS)\w+|GH_\w+|NODE_(?!ENV\b|NO_WARNINGS)\w+|DENO_\w+|BUN_\w+|TS_NODE_\w+|TSX_\w+|PYTHON(?!UNBUFFERED|DONTWRITEBYTECODE)\w*|VIRTUAL_ENV|PERL\w*|RUBY\w*|PHP\w*|TCL\w*|EMACS\w*|GDB\w*|\w*PAGER|\w*EDITOR|\w*BROWSER|\w*ASKPASS|\w*_SHELL|\w*_RSH|\w*WRAPPER|\w*_OPTIONS|\w*_OPTS|\w*FLAGS|\w*_COMMAND|\w*_CMD)$/i

/** A variable may make another program run: by its name, or because its value is text, a path or an option. */
export const mayRunText = (assignment: string): boolean => {
  const [, name = '', value = ''] = /^(\w+)(?:\[.*\])?\+?=(.*)$/s.exec(assignment) ?? [undefined, assignment]
  return STEERS.test(name) || (!isHarmlessVariable(assignment) && !/^[\w.,:@+%][\w.,:@+%-]*$|^$/.test(value))
}

export const steers = (text: string): boolean => STEERS.test(/^\w+/.exec(text)?.[0] ?? '')
