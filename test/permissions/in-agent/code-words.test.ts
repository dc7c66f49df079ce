/** A program that a command is given, and what can be seen of the files that it names. */
import { expect, test } from 'vitest'
import { ask, project, resultsIn } from '../../support/agent-kit.ts'

const turn = (command: string) => ({ calls: [{ name: 'Bash', input: { command } }] })

/** Which of these commands were refused because of a path that they name; nothing else may refuse them. */
async function refusedOf(commands: readonly string[], deny: readonly string[] = []): Promise<readonly string[]> {
  const place = project({ 'secrets/k': 'hidden', f: 'x\n', '.claude/settings.json': '{}' })
  const { sent } = await ask([...commands.map(turn), 'done'], {
    in: place,
    settingSources: [],
    allowedTools: ['Bash'],
    disallowedTools: [...deny]
  })
  const results = resultsIn(sent.at(-1)!)
  expect(results).toHaveLength(commands.length)
  expect(place.text('.claude/settings.json')).toBe('{}')
  return commands.filter((_, index) => /Permission to use Bash was denied/.test(results[index]!.text))
}

const BASE64 = Buffer.from('.claude/settings.json').toString('base64')
const HEX = Buffer.from('.claude/settings.json').toString('hex')

test('B7: code that names a protected path is asked about', async () => {
  const commands = [
    `node -e "require('fs').writeFileSync('.claude/settings.json', 'x')"`,
    `node -e 'require("fs").writeFileSync(".claude/settings.json", "x")'`,
    `python3 -c "open('.claude/settings.json','w').write('x')"`,
    `perl -e 'open(F, ">.claude/settings.json"); print F "x"'`,
    `perl -e 'open(F, ">", q(.claude/settings.json)); print F "x"'`,
    `ruby -e "File.write('.git/hooks/pre-commit', 'x')"`,
    `awk 'BEGIN { print "x" > ".claude/settings.json" }'`,
    `php -r "file_put_contents('.claude/settings.json', 'x');"`
  ]
  expect(await refusedOf(commands)).toEqual(commands)
})

test('B7: behind other programs, in a shell of its own, in a here-document', async () => {
  const commands = [
    `env X=1 node -e "require('fs').writeFileSync('.claude/settings.json', 'x')"`,
    `timeout 5 python3 -c "open('.claude/settings.json','w').write('x')"`,
    `sh -c 'node -e "require(\\"fs\\").writeFileSync(\\".claude/settings.json\\", 1)"'`,
    `node -e "require('fs').writeFileSync('$PWD/.claude/settings.json', 'x')"`,
    `python3 <<'E'\nopen('.claude/settings.json','w').write('x')\nE`,
    `python3 - <<'E'\nopen('.cl' + 'aude/settings.json','w').write('x')\nE`,
    `cd .claude && node -e "require('fs').writeFileSync('settings.json', 'x')"`
  ]
  expect(await refusedOf(commands)).toEqual(commands)
})

test('B7: in pieces, in escapes, in base64 or in hexadecimal digits', async () => {
  const commands = [
    `node -e "require('fs').writeFileSync('.cl' + 'aude/settings.json', 'x')"`,
    `node -e "require('fs').writeFileSync(require('path').join('.claude', 'settings.json'), 'x')"`,
    `node -e "require('fs').writeFileSync(['.git', 'hooks', 'pre-commit'].join('/'), 'x')"`,
    `node -e 'require("fs").writeFileSync("\\x2eclaude/settings.json", "x")'`,
    `node -e 'require("fs").writeFileSync("\\u002eclaude\\u{2f}settings.json", "x")'`,
    `node -e 'require("fs").writeFileSync(decodeURIComponent("%2eclaude%2fsettings.json"), "x")'`,
    `node -e "require('fs').writeFileSync(Buffer.from('${BASE64}', 'base64').toString(), 'x')"`,
    `node -e "require('fs').writeFileSync(Buffer.from('${HEX}', 'hex').toString(), 'x')"`
  ]
  expect(await refusedOf(commands)).toEqual(commands)
})

test('B7: what sed and other editors write or read is named among their words', async () => {
  const commands = [
    `sed -n 'w .claude/settings.json' f`,
    `sed -n '1w.claude/settings.json' f`,
    `vim -es -c 'w! .claude/settings.json' -c q f`,
    `printf 'x\\n' | ed -s f -c 'w .git/hooks/x'`
  ]
  expect(await refusedOf(commands)).toEqual(commands)
})

test('B7: code that names a file which may not be read is asked about', async () => {
  const commands = [
    `node -e "console.log(require('fs').readFileSync('secrets/k', 'utf8'))"`,
    `python3 -c "print(open('./secrets/../secrets/k').read())"`,
    `sed '1r secrets/k' f`,
    `awk '{ while ((getline line < "secrets/k") > 0) print line }' f`
  ]
  expect(await refusedOf(commands, ['Read(./secrets/**)'])).toEqual(commands)
})

test('B7: other code runs, and a path that is computed is not seen, as the documents say', async () => {
  const commands = [
    `node -e "console.log('a/b'.replace(/\\.git$/, ''))"`,
    `awk -F/ '/\\.git/ { print $NF }' f`,
    `sed 's/\\.git$//' f`,
    `node -e "require('fs').existsSync(String.fromCharCode(46) + 'claude' + '/settings.json')"`
  ]
  expect(await refusedOf(commands)).toEqual([])
})
