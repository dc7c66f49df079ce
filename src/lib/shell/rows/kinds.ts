const ADDRESS = String.raw`(?:\d+|\$|/(?:\\.|[^\\/\n[])+/)`
const PAIR = String.raw`([/|#,:@!])(?:\\.|\[\^?(?!\])(?:(?!\1)[^\]\n\\])*\]|(?!\1)[^\\\n[])*\1(?:\\.|(?!\1)[^\\\n])*\1`
const SED = `(?:${ADDRESS}(?:,${ADDRESS})?!?)?(?:[=dDgGhHnNpPxqQ]|s${PAIR}[gpiI\\d]*)`

/** Data: what the words of a row may look like; kinds of paths, scripts and commands are read in ../form.ts. */
export const KINDS: Readonly<Record<string, RegExp>> = {
  text: /^/,
  name: /^[\w:-]+$/,
  word: /^(?!\.\.?$)[\w@.:][\w@.:-]*$/,
  output: /^(?![^=]*file)[\w:=.,%*{}[\]@-]+$/,
  plain: /^[\w:=.,%*{}[\]@-]+$/,
  /** `npm run env` shows the environment. */
  task: /^(?!env$)[\w@.:%+/][\w@.:%+/-]*$/,
  /** The name of a commit, or of packages: some programs pass it on, and an option would be one there. */
  since: /^[\w@.:%+/][\w@.:%+~^/-]*$/,
  target: /^[\w@.:%+/][\w@.:%+/-]*$/,
  /** How projects name their scripts: no command of a package manager is called so. */
  scriptname:
    /^(?:_?test|bench|build|check|ci|clean|coverage|dev|docs?|e2e|fix|fmt|format|generate|lint|prepare|preview|release|serve|start|typecheck|types?|watch)(?:[:-][\w:.-]*)?$|^[\w.-]+:[\w:.-]+$/,
  /** The same for pnpm, which runs any program if there is no such script. */
  pnpmscript:
    /^(?:_?test|bench|build|check|coverage|docs?|e2e|format|generate|lint|typecheck|types?)(?:[:-][\w:.-]*)?$|^(?:ci|clean|dev|fix|prepare|preview|release|serve|start)$|^[\w.-]+:[\w:.-]+$/,
  nxcommand:
    /^(?:run|run-many|affected|build|test|lint|serve|e2e|typecheck|graph|show|reset|report|list|format|format:check|format:write|sync|sync:check)$/,
  /** Others are tasks, and a few generate or download. */
  turbocommand: /^(?!(?:gen|generate|g|link|login|logout|unlink|daemon|telemetry|bin|prune|scan)$)[\w@.:][\w@.:-]*$/,
  /** Of a plugin that maven knows by its prefix; others are given with their group and version. */
  goal: /^[\w.-]+(?::[\w.-]+(?:@[\w.-]+)?)?$/,
  lint: /^-[DWAF][\w:-]*$|^[a-z][\w:]*$/,
  fmtoption: /^(?:--check|--edition|--edition=\d+|\d+|-[lqv])$/,
  action: /^(?:read|skip)$/,
  report: /^(?:report|check-coverage)$/,
  watch: /^watch$/,
  version: /^[\w.-]+$/,
  option: /^(?:pipefail|errexit|nounset|xtrace|noglob)$/,
  date: /^\+/,
  package: /^(?:@[\w.-]+\/)?[A-Za-z0-9_][\w.-]*(?:@[\w.^~<>=*-]+)?$/,
  pippackage: /^(?:\.|[A-Za-z0-9_][\w.-]*(?:\[[\w,-]+\])?(?:[=<>!~]=?[\w.*,<>=!~]+)?)$/,
  gopackage: /^[\w./@-]+$/,
  url: /^(?:https?:\/\/\S+|[\w-]+(?:\.[\w-]+)*(?::\d+)?(?:[/?]\S*)?)$/,
  cloned: /^(?:(?:https?|ssh|git):\/\/[\w@.:~/%+-]+|[\w.-]+@[\w.-]+:[\w.~/-]+)$/,
  head: /^(?!@)/,
  printed: /^(?!@)(?![^]*%output)/,
  /** `%n` sets a variable. */
  template: /^(?:[^%]|%%|%[-+ #0'*.\d]*[hjlLtz]*(?:\([^()]*\)T|[a-gikmo-su-yA-KM-Z]))*$/,
  sortkey: /^(?![^]*signature)[\w:-]+$/,
  /** Some parts of it start the program that checks signatures. */
  format: /^(?![^]*(?:%[-+ ]?G|signature))/,
  cookie: /^(?!@)[^]*=/,
  /** Newer ones show the environment. */
  psformat: /^(?![^]*env)/i,
  psflags: /^[aufjlwx]+$/,
  filter:
    /^(?![^]*(?:\b(?:import|include|env|input|input_filename|halt|debug|getpath|modulemeta|get_search_list)\b|ENV|__))/,
  /** Without commands and flags that start programs or use other files. A sign in brackets may end the text, or not. */
  sed: new RegExp(`^(?:[ \\t]*${SED}[ \\t]*(?:[;\\n]+|$))+$`),
  /** Otherwise an editor is opened. */
  rebase: /^(?:true|false|merges)$/,
  reflog: /^(?!expire|delete|drop|write)[\w/.@{}~^-]+$/
}

/** Kinds of paths without those that mean something else to the program. */
export const NARROW: Readonly<Record<string, { readonly not: RegExp; readonly as: string }>> = {
  /** tar starts a program for `host:file`. */
  archive: { not: /:/, as: 'changed' },
  /** rsync gives the name of the host to ssh. */
  from: { not: /^-|@-/, as: 'read' },
  to: { not: /^-|@-/, as: 'write' },
  /** Some programs take further arguments from `@file`. */
  source: { not: /^@/, as: 'read' },
  rewritten: { not: /^@/, as: 'write' },
  /** docker takes it for a repository. */
  context: { not: /^github\.com\//, as: 'inside' }
}
