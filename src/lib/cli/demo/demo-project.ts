import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { INVOICE_SCRIPTS } from './killed-run.ts'

type Files = Readonly<Record<string, string>>

const text = (words: TemplateStringsArray): string =>
  words.raw.join('').slice(1).replaceAll(/^ {4}/gm, '').trimEnd() + '\n'

/** A small program with two mistakes, its tests, and hook scripts as people write them. */
const PROJECT: Files = {
  'total.mjs': text`
    /** The sum of the prices, less a discount in percent. */
    export function total(prices, discount = 0) {
      const sum = prices.reduce((so, price) => so - price, 0)
      return sum * (1 + discount / 100)
    }`,
  'total.test.mjs': text`
    import assert from 'node:assert/strict'
    import test from 'node:test'
    import { total } from './total.mjs'

    test('sum', () => assert.equal(total([1, 2, 3]), 6))
    test('discount', () => assert.equal(total([100], 10), 90))`,
  'draft.txt': 'An older draft.\n',
  'build/report.txt': 'It took a night to make this.\n',
  '.trash/README': 'What agents throw away is kept here.\n',
  '.claude/settings.json': text`
    {
      "hooks": {
        "PreToolUse": [
          { "matcher": "Bash", "hooks": [{ "type": "command", "command": ".claude/hooks/trash.mjs" }] },
          { "matcher": "Write", "hooks": [{ "type": "command", "command": ".claude/hooks/scan.mjs" }] }
        ],
        "Stop": [{ "hooks": [{ "type": "command", "command": ".claude/hooks/tests-pass.sh" }] }]
      }
    }`,
  '.claude/hooks/trash.mjs': text`
    #!/usr/bin/env node
    // Nothing is deleted for good: "rm FILE" becomes "mv FILE .trash/".
    import { readFileSync } from 'node:fs'

    const { tool_input } = JSON.parse(readFileSync(0, 'utf8'))
    const file = /^rm ([\w.]+)$/.exec(tool_input.command)?.[1]
    if (file !== undefined) {
      const updatedInput = { ...tool_input, command: 'mv ' + file + ' .trash/' }
      const hookSpecificOutput = { hookEventName: 'PreToolUse', permissionDecision: 'allow', updatedInput }
      console.log(JSON.stringify({ hookSpecificOutput }))
    }`,
  '.claude/hooks/scan.mjs': text`
    #!/usr/bin/env node
    // Looks for secrets in what is written. Its list was forgotten, so it crashes.
    import { existsSync, readFileSync } from 'node:fs'

    const list = new URL('secrets.txt', import.meta.url)
    if (!existsSync(list)) throw new Error('secrets.txt is missing')
    const secrets = readFileSync(list, 'utf8').trim().split('\n')
    const text = readFileSync(0, 'utf8')
    if (secrets.some(secret => text.includes(secret))) process.exit(2)`,
  '.claude/hooks/tests-pass.sh': text`
    #!/bin/sh
    # The agent may stop when the tests pass. Exit code 2 sends it back, with the text on standard error.
    report=$(node --test --test-reporter=tap) && exit 0
    echo "a test fails: $(printf '%s\n' "$report" | sed -n 's/^not ok [0-9]* - //p')" >&2
    exit 2`
}

/** Invoices that an agent sends: one line in the outbox per invoice. */
const INVOICES: Files = {
  'send.sh': text`
    #!/bin/sh
    # Puts an invoice into the outbox, and waits for its receipt. That of the second one takes a minute.
    echo "$1" >> outbox.txt
    if [ "$1" = invoice-2 ]; then sleep 60; fi
    echo "$1 is sent"`,
  ...Object.fromEntries(Object.entries(INVOICE_SCRIPTS).map(([name, turns]) => [name, JSON.stringify(turns)]))
}

export const writeProject = (folder: string): void => writeFiles(folder, PROJECT)
export const writeInvoices = (folder: string): void => writeFiles(folder, INVOICES)

function writeFiles(folder: string, files: Files): void {
  for (const [name, content] of Object.entries(files)) {
    const path = join(folder, name)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, content)
    if (content.startsWith('#!')) chmodSync(path, 0o755)
  }
}
