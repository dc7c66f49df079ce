/** Rules about files: where their paths begin, and what they cover. */
import * as fc from '../support/fast-check.ts'
import { describe, expect, test } from 'vitest'
import { namesOf, pathGlob } from '../../src/lib/util/path-glob.ts'
import { allowRule, bashFacts, decided, denyRule, HOME, other, read, WORKSPACE, write } from './permission-kit.ts'

// R12
describe('where the path of a rule begins', () => {
  test.each([
    ['//etc/**', '/etc/passwd', true],
    ['//etc/**', `${WORKSPACE}/etc/passwd`, false],
    ['~/notes/**', `${HOME}/notes/a`, true],
    ['~/notes/**', `${WORKSPACE}/notes/a`, false],
    ['/src/**', `${WORKSPACE}/src/a/b.ts`, true],
    ['./src/**', `${WORKSPACE}/src/a.ts`, true],
    ['src/**', `${WORKSPACE}/src/a.ts`, true],
    ['src/**', `${WORKSPACE}/other/src/a.ts`, false],
    ['**/src/**', `${WORKSPACE}/other/src/a.ts`, true],
    ['*.ts', `${WORKSPACE}/deep/in/a.ts`, true],
    ['*.ts', `${WORKSPACE}/deep/in/a.js`, false],
    ['package.json', `${WORKSPACE}/a/package.json`, true],
    ['./package.json', `${WORKSPACE}/a/package.json`, false],
    ['src/*.ts', `${WORKSPACE}/src/a.ts`, true],
    ['src/*.ts', `${WORKSPACE}/src/deep/a.ts`, false],
    ['src/', `${WORKSPACE}/src/deep/a.ts`, true],
    ['./src', `${WORKSPACE}/src/deep/a.ts`, true],
    ['src/**/test/?[a-c].{ts,js}', `${WORKSPACE}/src/x/y/test/1b.js`, true],
    ['src/**/test/?[a-c].{ts,js}', `${WORKSPACE}/src/test/1d.js`, false],
    ['src/**/test/?[!a-c].ts', `${WORKSPACE}/src/test/1d.ts`, true],
    ['src/\\*', `${WORKSPACE}/src/*`, true],
    ['src/\\*', `${WORKSPACE}/src/a`, false],
    ['src/**', `${WORKSPACE}/src/.hidden`, true],
    ['../ws2/**', `${HOME}/ws2/a`, true],
    // R13
    ['./**', `${WORKSPACE}/../other/a`, false],
    ['src/**', `${WORKSPACE}/x/../src/a`, true]
  ])('Read(%s) and %s: %s', (specifier, path, fits) => {
    expect(decided(read(path), [denyRule(`Read(${specifier})`)]) === 'deny').toBe(fits)
    expect(decided(write(path), [allowRule(`Edit(${specifier})`)])).toBe(fits ? 'allow' : 'ask')
  })

  test('a folder whose name looks like a pattern is itself', () => {
    const roots = ['/a/[x]{y,z}*']
    expect(decided(write(`${roots[0]}/src/a`), [allowRule('Edit(src/**)')], { roots })).toBe('allow')
    expect(decided(write('/a/xy/src/a'), [allowRule('Edit(src/**)')], { roots })).toBe('ask')
  })

  test('at any depth means everywhere for a rule that refuses, and within the work for one that allows', () => {
    expect(decided(read('/elsewhere/.env'), [denyRule('Read(.env)')])).toBe('deny')
    expect(decided(read('/elsewhere/.env'), [denyRule('Read(**/.env)')])).toBe('deny')
    expect(decided(read('/elsewhere/.env'), [allowRule('Read(.env)')])).toBe('ask')
    expect(decided(write('/more/a.ts'), [allowRule('Edit(*.ts)')], { roots: [WORKSPACE, '/more'] })).toBe('allow')
  })

  test('a rule that refuses what is in a folder refuses what is further down', () => {
    expect(decided(read(`${WORKSPACE}/keys/a/b`), [denyRule('Read(./keys)')])).toBe('deny')
    expect(decided(read(`${WORKSPACE}/keys/a/b`), [denyRule('Read(./keys/*)')])).toBe('deny')
    expect(decided(write(`${WORKSPACE}/keys/a/b`), [allowRule('Edit(./keys/*)')])).toBe('ask')
  })

  test('where no one knows the home, ~ is anywhere for a rule that refuses, and nowhere for one that allows', () => {
    const nowhere = { home: undefined }
    expect(decided(read('/home/bob/.ssh/id'), [denyRule('Read(~/.ssh/**)')], nowhere)).toBe('deny')
    expect(decided(write('/home/bob/x/id'), [allowRule('Edit(~/x/**)')], nowhere)).toBe('ask')
  })

  test('one slash begins at the project; whoever may have meant the other one is asked', () => {
    expect(decided(read('/etc/passwd'), [allowRule('Read(//etc/**)'), denyRule('Read(/etc/**)')])).toBe('ask')
    expect(decided(read(`${WORKSPACE}/etc/passwd`), [denyRule('Read(/etc/**)')])).toBe('deny')
  })
})

describe('which tools a rule speaks of', () => {
  test.each(['Write', 'Edit', 'MultiEdit', 'NotebookEdit'])('Edit(…) speaks of %s', tool => {
    expect(decided(write(`${WORKSPACE}/a/b`, tool), [allowRule('Edit(a/**)')])).toBe('allow')
    expect(decided(write(`${WORKSPACE}/a/b`, tool), [denyRule('Edit(a/**)')])).toBe('deny')
    expect(decided(write(`${WORKSPACE}/a/b`, tool), [denyRule('Write(a/**)')])).toBe('deny')
  })

  test.each(['Read', 'Glob', 'Grep'])('Read(…) speaks of %s', tool => {
    expect(decided(read('/other/a/b', tool), [allowRule('Read(//other/**)')])).toBe('allow')
    expect(decided(read(`${WORKSPACE}/a/b`, tool), [denyRule('Read(a/**)')])).toBe('deny')
  })

  test('Write(…) allows Write only, and a rule about reading allows no writing', () => {
    expect(decided(write(`${WORKSPACE}/a/b`, 'Write'), [allowRule('Write(a/**)')])).toBe('allow')
    expect(decided(write(`${WORKSPACE}/a/b`, 'Edit'), [allowRule('Write(a/**)')])).toBe('ask')
    expect(decided(write(`${WORKSPACE}/a/b`, 'Edit'), [allowRule('Read(a/**)')])).toBe('ask')
    expect(decided(read('/other/a'), [allowRule('Edit(//other/**)')])).toBe('ask')
  })

  test('what may not be read may not be changed either', () => {
    expect(decided(write(`${WORKSPACE}/.env`, 'Edit'), [allowRule('Edit'), denyRule('Read(.env)')])).toBe('deny')
    expect(decided(read(`${WORKSPACE}/a`), [denyRule('Edit(a)')])).toBe('allow')
  })

  test('a tool of someone else that is about a file is meant, too', () => {
    const call = { ...write(`${WORKSPACE}/a/b`), tool: 'Format' }
    expect(decided(call, [allowRule('Format'), denyRule('Edit(a/**)')])).toBe('deny')
    expect(decided({ ...call, subject: undefined }, [allowRule('Format'), denyRule('Edit(a/**)')])).toBe('allow')
  })

  test('a tool alone means that tool only', () => {
    expect(decided(write(`${WORKSPACE}/a`, 'Write'), [denyRule('Edit')])).toBe('ask')
    expect(decided(write(`${WORKSPACE}/a`, 'Edit'), [denyRule('Read')])).toBe('ask')
  })

  test('a search through a folder that holds what may not be read is asked about, unless that is left out', () => {
    for (const tool of ['Grep', 'Glob']) {
      expect(decided(read(WORKSPACE, tool), [denyRule('Read(./keys/**)')])).toBe('ask')
      expect(decided(read(WORKSPACE, tool), [denyRule('Read(.env)')])).toBe('ask')
      expect(decided(read(`${WORKSPACE}/src`, tool), [denyRule('Read(./keys/**)')])).toBe('allow')
      expect(decided(read(`${WORKSPACE}/keys/x`, tool), [denyRule('Read(./keys/**)')])).toBe('deny')
      expect(decided(read(WORKSPACE, tool), [denyRule('Read(./keys/**)')], { leavesOut: true })).toBe('allow')
      expect(decided(other(tool, { pattern: 'x' }, true), [denyRule('Read(./keys/**)')])).toBe('ask')
    }
  })

  test('a command that uses such a file is refused, and one that may is asked about', () => {
    const rules = [allowRule('Bash'), denyRule('Read(./secrets/**)'), denyRule('Write(./.agent/**)')]
    const decision = (command: string) => decided(bashFacts(command), rules, { mode: 'bypassPermissions' })
    for (const command of [
      'cat secrets/k',
      'cat < ./x/../secrets/k',
      'cat s"e"crets/k',
      `cat ${WORKSPACE}/secrets/k`,
      'echo x > .agent/settings.json'
    ])
      expect(decision(command), command).toBe('deny')
    for (const command of [
      'cat $HOME/ws/secrets/k',
      'cat "${HOME}/ws/secrets/k"',
      'cat ~/ws/secrets/k',
      'tool --file=secrets/k',
      'for f in secrets/k; do cat $f; done'
    ])
      expect(decision(command), command).toBe('ask')
    expect(decided(bashFacts('cat src/k'), rules)).toBe('allow')
  })
})

describe('other ways to the same file', () => {
  // P4, P5: the real path counts, and for rules that refuse the name that was given, too.
  test('a link', () => {
    const call = write(`${WORKSPACE}/keys/a`, 'Write', `${WORKSPACE}/link`)
    expect(decided(call, [denyRule('Edit(keys/**)')])).toBe('deny')
    expect(decided(call, [denyRule('Edit(link)')])).toBe('deny')
    expect(decided(call, [allowRule('Edit(link)')])).toBe('ask')
  })

  // P10, P11
  test('another case, another way to write accents: asked about', () => {
    expect(decided(read(`${WORKSPACE}/KEYS/a`), [denyRule('Read(./keys/**)')])).toBe('ask')
    expect(decided(read(`${WORKSPACE}/caf\u0065\u0301`), [denyRule('Read(./caf\u00E9)')])).toBe('ask')
    expect(decided(write(`${WORKSPACE}/SRC/a`), [allowRule('Edit(src/**)')])).toBe('ask')
  })

  // P1, P12
  test.each([
    `${WORKSPACE}/src/../keys/a`,
    `${WORKSPACE}//keys/a`,
    `${WORKSPACE}/keys/./a`,
    `${WORKSPACE}/keys/a/`,
    `${WORKSPACE}/keys/a/.`
  ])('%s', path => {
    expect(decided(read(path), [denyRule('Read(./keys/**)')])).toBe('deny')
  })

  // P9
  test('signs of the shell are just names', () => {
    expect(decided(read(`${WORKSPACE}/~/x`), [denyRule('Read(~/x)')])).toBe('allow')
    expect(decided(read(`${WORKSPACE}/$HOME/x`), [denyRule('Read(~/x)')])).toBe('allow')
  })
})

const fitsPath = (glob: string, path: string): boolean => pathGlob(glob)(namesOf(path))

describe('globs', () => {
  // R2, R3, R4: no pattern takes long.
  test.each([
    ['*a'.repeat(200), 'a'.repeat(4_000)],
    ['**/'.repeat(200) + 'x', 'a/'.repeat(2_000)],
    ['*(*(*(a|b)))', 'a'.repeat(4_000)],
    ['{a,b}'.repeat(100), 'a'.repeat(4_000)],
    ['['.repeat(4_000), ']'.repeat(4_000)],
    ['{,'.repeat(2_000), 'a']
  ])('%.20s…', (pattern, text) => {
    expect(fitsPath(`/${pattern}`, `/${text}b`)).toBe(false)
  })

  test('a name without signs fits itself and nothing else', () => {
    const name = fc.stringMatching(/^[\w.@ -]{1,8}$/).filter(text => !/^\.{1,2}$/.test(text))
    fc.assert(
      fc.property(fc.array(name, { minLength: 1, maxLength: 4 }), fc.array(name, { maxLength: 4 }), (a, b) => {
        const [one, two] = [`/${a.join('/')}`, `/${b.join('/')}`]
        expect(fitsPath(one, one)).toBe(true)
        expect(fitsPath(one, two)).toBe(one === two)
        expect(fitsPath(`${one}/**`, `${one}${two}`)).toBe(true)
        expect(fitsPath(`/**/${a.at(-1)}`, one)).toBe(true)
      })
    )
  })
})
