// PreToolUse hook for Bash: refuses commands that delete folders, lose git history, or name files with secrets.
// It reads the call as JSON on standard input. Exit code 2 refuses, and the model reads what is on standard error.
// If it fails, the call is refused as well ("onFailure": "block" in settings.json). Change it to fit your project.
import { readFileSync } from 'node:fs'
import { basename } from 'node:path'

// Folders that can be built again: these may be deleted with `rm -rf`.
const REBUILT = new Set(
  'node_modules dist build out coverage target tmp .cache .next .turbo .venv __pycache__ .pytest_cache'.split(' ')
)
// Files with secrets. The deny rules in settings.json protect them from Read, Edit and Write as well.
const SECRET = /^(?:\.env(?:\.local|\.production|\..+\.local)?|.+\.pem|id_(?:rsa|ed25519|ecdsa))$/
// Programs that only print the name of a file.
const PRINTS_NAMES = new Set(['echo', 'printf', 'ls', 'test', '[', '[['])
const GIT_PRINTS_NAMES = new Set(['check-ignore', 'ls-files', 'status'])
// Programs whose first word is what they look for.
const SEARCHES = new Set(['grep', 'egrep', 'fgrep', 'rg'])
// Words of the shell that come before a program.
const KEYWORDS = new Set('if then elif else while until do ! time {'.split(' '))
// Programs that run text as a command. Their arguments are examined as commands.
const RUNS_TEXT = new Set('sh bash zsh dash ksh eval source . trap su ssh watch parallel'.split(' '))
const DELETES = new Set(['rm', 'rimraf'])
// Programs whose own sub-command is called rm.
const HAS_RM = new Set(['git', 'docker', 'podman', 'npm', 'pnpm', 'yarn'])
// Options of git that come before its sub-command and take the next word.
const GIT_VALUES = new Set(['-C', '-c', '--git-dir', '--work-tree', '--namespace', '--exec-path', '--config-env'])

// What each sub-command of git must not have: `short` are letters, `long` are options, `words` are arguments.
const GIT = {
  push: { short: 'fd', long: ['--force', '--force-with-lease', '--mirror', '--delete', '--prune'], words: /^[+:]./ },
  reset: { long: ['--hard'] },
  clean: { short: 'f', long: ['--force'], unless: 'n' },
  branch: { short: 'Df', long: ['--force'] },
  checkout: { short: 'f', long: ['--force'], words: /^(?:\.|:\/)$/ },
  restore: { words: /^(?:\.|:\/)$/ },
  switch: { short: 'f', long: ['--force', '--discard-changes'] },
  stash: { words: /^(?:drop|clear)$/ },
  reflog: { words: /^(?:expire|delete)$/ },
  worktree: { short: 'f', long: ['--force'] },
  gc: { long: ['--prune=now', '--prune=all'] },
  'update-ref': { short: 'd', long: ['--stdin'] },
  'filter-branch': { words: /^/, always: true },
  'filter-repo': { words: /^/, always: true }
}

/** Why a command is refused; undefined if it is not. */
function objection(text, depth = 0) {
  if (depth > 5) return 'it nests commands too deeply to be examined'
  let commands
  try {
    commands = new Reader(text).commands()
  } catch {
    return 'it has a quote or bracket without its end, so it cannot be examined'
  }
  const isRead = commands.some(({ words }) => readsCommands(words))
  for (const { words, files } of commands) {
    const found =
      secretIn(words, files) ?? deleteIn(words) ?? gitIn(words) ?? hiddenIn(words) ?? nestedIn(words, isRead, depth)
    if (found !== undefined) return found
  }
  return undefined
}

const nameOf = word => basename(word?.text ?? '')

function secretIn(words, files) {
  const program = words.findIndex(({ text }) => !KEYWORDS.has(text))
  const name = nameOf(words[program])
  const printsNames =
    PRINTS_NAMES.has(name) || (name === 'git' && GIT_PRINTS_NAMES.has(words[gitSubCommand(words)]?.text))
  const pattern = SEARCHES.has(name) ? patternAt(words, program) : -1
  const named = [...(printsNames ? [] : words.filter((_, place) => place !== pattern)), ...files]
  // `--env-file=.env`, `HEAD:.env` and `@.env` name it as well.
  const secret = named.flatMap(({ text }) => text.split(/[=:@,]/)).find(part => SECRET.test(basename(part)))
  return secret === undefined ? undefined : `it names ${secret}, a file with secrets`
}

/** The place of the pattern of a search; -1 if an option has it. */
function patternAt(words, program) {
  const hasOption = ({ text }) => hasShort(text, 'ef') || isLong(text, '--regexp') || isLong(text, '--file')
  if (words.some(hasOption)) return -1
  return words.findIndex(({ text }, place) => place > program && !text.startsWith('-'))
}

function deleteIn(words) {
  const at = words.findIndex((word, place) => DELETES.has(nameOf(word)) && !isSubCommand(words, place))
  const finds = words.some(word => nameOf(word) === 'find')
  if (finds && (at !== -1 || words.some(({ text }) => text === '-delete')))
    return 'it deletes whatever find finds; list the files, and delete them by their names'
  if (at === -1) return undefined
  const args = words.slice(at + 1)
  const end = args.findIndex(({ text }) => text === '--')
  const options = end === -1 ? args : args.slice(0, end)
  if (nameOf(words[at]) === 'rm' && !options.some(({ text }) => hasShort(text, 'rR') || isLong(text, '--recursive')))
    return undefined
  const targets = args.filter(({ text }, place) => !text.startsWith('-') || (end !== -1 && place > end))
  const kept = targets.find(target => !isRebuilt(target))
  if (targets.length > 0 && kept === undefined) return undefined
  return `it deletes ${kept?.text ?? 'folders'} and all that is in it`
}

const isRebuilt = ({ text, isKnown }) => {
  const parts = text.split('/')
  return isKnown && !parts.includes('..') && parts.some(part => REBUILT.has(part))
}

const isSubCommand = (words, place) =>
  (nameOf(words[place]) === 'rm' && HAS_RM.has(nameOf(words[place - 1]))) ||
  gitSubCommand(words) === place ||
  isInstalled(words, place)

/** `npm install rimraf` is about a package of that name. */
const isInstalled = (words, place) =>
  nameOf(words[place]) === 'rimraf' &&
  words
    .slice(0, place)
    .some(({ text }, at) => /^(?:i|add|install|remove|uninstall)$/.test(text) && HAS_RM.has(nameOf(words[at - 1])))

/** The place of git's sub-command among the words; -1 without git. */
function gitSubCommand(words) {
  let place = words.findIndex(word => nameOf(word) === 'git') + 1
  if (place === 0) return -1
  while (words[place]?.text.startsWith('-')) place += GIT_VALUES.has(words[place].text) ? 2 : 1
  return place
}

function gitIn(words) {
  const place = gitSubCommand(words)
  if (words[place] === undefined) return undefined
  if (words.slice(0, place).some(({ text }) => /^alias\./i.test(text))) return 'it gives git an alias'
  const { text: name, isKnown } = words[place]
  if (!isKnown) return `only the shell knows which command of git ${name} is`
  const { short = '', long = [], words: forbidden, unless = '', always } = GIT[name] ?? {}
  const args = words.slice(place + 1).map(({ text }) => text)
  if (unless !== '' && args.some(text => hasShort(text, unless) || isLong(text, '--dry-run'))) return undefined
  if (name === 'restore' && args.includes('--staged') && !args.includes('--worktree')) return undefined
  const found =
    args.find(text => hasShort(text, short) || long.some(option => isLong(text, option)) || forbidden?.test(text)) ??
    (always ? name : undefined)
  return found === undefined ? undefined : `git ${name} with ${found} loses commits, branches or uncommitted work`
}

/** A program that only the shell knows, with the options of a delete. */
function hiddenIn(words) {
  const program = words.find(({ text }) => !/^\w+=/.test(text))
  // `$HOME/bin/pip` is a program with a known name.
  const isNamed = /^\$\{?\w+\}?(?:\/[\w.-]+)+$/.test(program?.text ?? '')
  return program?.isKnown === false && !isNamed && words.some(({ text }) => hasShort(text, 'rR'))
    ? `only the shell knows which program ${program.text} is`
    : undefined
}

/** The place of a program that runs text; `.` is one only where a command begins. */
const runnerIn = words =>
  words.findIndex((word, place) => RUNS_TEXT.has(nameOf(word)) && (place === 0 || nameOf(word) !== '.'))

/** A shell without a script reads commands: `echo … | bash`. */
function readsCommands(words) {
  const at = runnerIn(words)
  return at !== -1 && words.slice(at + 1).every(({ text }) => text.startsWith('-'))
}

/** The commands in arguments of programs that run text; with `isRead`, also in those of other programs. */
function nestedIn(words, isRead, depth) {
  const at = isRead ? 0 : runnerIn(words)
  if (at === -1) return undefined
  const texts = words.slice(at + 1).map(({ text }) => text)
  if (nameOf(words[at]) === 'eval' || isRead) texts.push(texts.join(' '))
  for (const text of texts) {
    const found = /\s/.test(text) ? objection(text, depth + 1) : undefined
    if (found !== undefined) return found
  }
  return undefined
}

const hasShort = (text, letters) => /^-[A-Za-z]/.test(text) && [...letters].some(letter => text.includes(letter))
// git and rm accept the beginning of a long option.
const isLong = (text, option) =>
  /^--\w/.test(text) && option.startsWith(option.includes('=') ? text : text.replace(/=.*/s, ''))

/** Splits a text into simple commands, as a shell does: quotes, escapes, substitutions, here-documents. */
class Reader {
  constructor(text) {
    this.text = text
    this.at = 0
    this.found = []
  }

  commands() {
    this.list('')
    return this.found
  }

  /** Reads commands up to a closing character; '' means the end of the text. */
  list(end) {
    const first = this.found.length
    const documents = []
    let command = { words: [], files: [] }
    let toFile = false
    const finish = () => {
      if (command.words.length + command.files.length > 0) this.found.push(command)
      command = { words: [], files: [] }
      toFile = false
    }
    for (;;) {
      const char = this.text[this.at]
      if (char === undefined && end !== '') throw new Error('no end')
      if (char === undefined || char === end) break
      const rest = this.text.slice(this.at, this.at + 3)
      if (char === '\n') {
        finish()
        this.at += 1
        for (const document of documents.splice(0)) this.document(document, this.found.slice(first))
      } else if (/[ \t\r]/.test(char)) this.at += 1
      else if (char === '#') this.at = this.until('\n')
      else if (char === '(') {
        finish()
        this.nested(1, ')')
      } else if (/[;&|)]/.test(char)) {
        finish()
        this.at += 1
      } else if (rest === '<<<') this.at += 3
      else if (rest.startsWith('<<')) documents.push(this.delimiter())
      else if (/^[<>]\(/.test(rest)) this.nested(2, ')')
      else if (/[<>]/.test(char)) {
        this.at += /^(?:>>|>\||>&|<&|<>)/.test(rest) ? 2 : 1
        toFile = true
      } else {
        command[toFile ? 'files' : 'words'].push(this.word(end))
        toFile = false
      }
    }
    finish()
    this.at += 1
  }

  nested(skip, end) {
    this.at += skip
    this.list(end)
  }

  until(text) {
    const place = this.text.indexOf(text, this.at)
    return place === -1 ? this.text.length : place
  }

  /** One word without its quotes. `isKnown`: the shell changes nothing in it. */
  word(end) {
    const word = { text: '', isKnown: true }
    for (let char = this.text[this.at]; char !== undefined; char = this.text[this.at]) {
      if (/[\s;&|()<>]/.test(char) || char === end) break
      if (char === "'") this.single(word)
      else if (char === '"') this.double(word)
      else if (!this.expansion(word)) this.plain(word)
    }
    return word
  }

  plain(word) {
    const escapes = this.text[this.at] === '\\'
    const char = this.text[this.at + (escapes ? 1 : 0)] ?? ''
    if (char !== '\n' || !escapes) word.text += char
    this.at += escapes ? 2 : 1
  }

  single(word) {
    const close = this.text.indexOf("'", this.at + 1)
    if (close === -1) throw new Error('no end')
    word.text += this.text.slice(this.at + 1, close)
    this.at = close + 1
  }

  double(word) {
    this.at += 1
    for (let char = this.text[this.at]; char !== '"'; char = this.text[this.at]) {
      if (char === undefined) throw new Error('no end')
      if (!this.expansion(word)) this.plain(word)
    }
    this.at += 1
  }

  /** `$(…)`, backquotes, `${…}`, `$'…'` and `$name`. The commands in them are examined, too. */
  expansion(word) {
    const rest = this.text.slice(this.at, this.at + 2)
    if (rest[0] !== '`' && !/^\$[\w({'@*#?!$-]/.test(rest)) return false
    const from = this.at
    if (rest[0] === '`') this.nested(1, '`')
    else if (rest === '$(') this.nested(2, ')')
    else if (rest === '${') this.braces()
    else if (rest === "$'") {
      this.at += 1
      this.single({ text: '' })
    } else this.at += 2
    word.isKnown = false
    word.text += this.text.slice(from, this.at)
    return true
  }

  braces() {
    this.at += 2
    for (let char = this.text[this.at]; char !== '}'; char = this.text[this.at]) {
      if (char === undefined) throw new Error('no end')
      if (!this.expansion({ text: '' })) this.plain({ text: '' })
    }
    this.at += 1
  }

  /** The word after `<<`. */
  delimiter() {
    this.at += 2
    const isIndented = this.text[this.at] === '-'
    if (isIndented) this.at += 1
    while (/[ \t]/.test(this.text[this.at] ?? '')) this.at += 1
    const isQuoted = /['"\\]/.test(this.text[this.at] ?? '')
    return { end: this.word('').text, isIndented, isQuoted }
  }

  /** A here-document is text; if a shell reads it, it is commands. */
  document({ end, isIndented, isQuoted }, commands) {
    const lines = this.text.slice(this.at).split('\n')
    const last = lines.findIndex(line => (isIndented ? line.replace(/^\t+/, '') : line) === end)
    const body = lines.slice(0, last === -1 ? lines.length : last).join('\n')
    const whole = lines.slice(0, last === -1 ? lines.length : last + 1).join('\n')
    this.at = Math.min(this.text.length, this.at + whole.length + 1)
    if (commands.some(({ words }) => runnerIn(words) !== -1)) this.found.push(...new Reader(body).commands())
    else if (!isQuoted) {
      const inner = new Reader(body)
      while (inner.at < body.length) if (!inner.expansion({ text: '' })) inner.plain({ text: '' })
      this.found.push(...inner.found)
    }
  }
}

const call = JSON.parse(readFileSync(0, 'utf8'))
const command = call.tool_input?.command
const found = typeof command === 'string' ? objection(command) : 'it has no command'
if (call.tool_name === 'Bash' && found !== undefined) {
  process.stderr.write(
    `The project's policy refuses this command: ${found}. Do without it, or ask a person to run it.\n`
  )
  process.exitCode = 2
}
