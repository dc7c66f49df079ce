/** What the words of a row may look like; kinds of paths, scripts and commands are read in form.ts. */
export const KINDS: Readonly<Record<string, RegExp>> = {
  text: /^/,
  name: /^[\w:-]+$/,
  word: /^[\w@.:][\w@.:-]*$/,
  plain: /^[\w:=.,%*{}[\]@-]+$/,
  task: /^[\w@.:%+/][\w@.:%+/-]*$/,
  target: /^[\w@.:%+/][\w@.:%+/-]*$/,
  /** How projects name their scripts: no command of a package manager is called so. */
  scriptname:
    /^(?:_?test|bench|build|check|ci|clean|coverage|dev|docs?|e2e|fix|fmt|format|generate|lint|prepare|preview|release|run|serve|start|typecheck|types?|watch)(?:[:-][\w:.-]*)?$|^[\w.-]+:[\w:.-]+$/,
  report: /^(?:report|check-coverage)$/,
  version: /^[\w.-]+$/,
  option: /^(?:pipefail|errexit|nounset|xtrace|noglob)$/,
  date: /^\+/,
  package: /^(?:@[\w.-]+\/)?[A-Za-z0-9_][\w.-]*(?:@[\w.^~<>=*-]+)?$/,
  pippackage: /^(?:\.|[A-Za-z0-9_][\w.-]*(?:\[[\w,-]+\])?(?:[=<>!~]=?[\w.*,<>=!~]+)?)$/,
  url: /^(?:https?:\/\/\S+|[\w-]+(?:\.[\w-]+)*(?::\d+)?(?:[/?]\S*)?)$/,
  cloned: /^(?:(?:https?|ssh|git):\/\/[\w@.:~/%+-]+|[\w.-]+@[\w.-]+:[\w.~/-]+)$/,
  head: /^(?!@)/,
  printed: /^(?!@)(?![^]*%output)/,
  /** Some parts of it start the program that checks signatures. */
  format: /^(?![^]*(?:%G|signature))/,
  cookie: /^(?!@)[^]*=/,
  psflags: /^[aufjlwx]+$/,
  filter:
    /^(?![^]*(?:\b(?:import|include|env|input|input_filename|halt|debug|getpath|modulemeta|get_search_list)\b|\$ENV|\$__))/,
  reflog: /^(?!expire|delete|drop|write)[\w/.@{}~^-]+$/
}

/** Nothing in it starts a program, writes a file, reads another one, or shows the environment. */
export const harmlessAwk = (script: string): boolean =>
  !/[|>@]|system|getline|ENVIRON|ARGV|PROCINFO|SYMTAB|FUNCTAB|include|load|namespace/.test(script)
