import { describe, expect, test } from 'vitest'
import { editScene } from './edit-scene.ts'

describe('matches that are not exact', () => {
  test('line ends', async () => {
    const { edit, bytes } = await editScene('one\r\ntwo\nthree\r\n')
    expect(await edit('one\ntwo\nthree', '1\n2\n3')).toContain('differs just in line endings')
    expect(bytes('a').toString()).toBe('1\r\n2\r\n3\r\n')
  })

  test('line ends, the other way', async () => {
    const { edit, bytes } = await editScene('zero\none\ntwo\n')
    await edit('one\r\ntwo', '1\r\n2')
    expect(bytes('a').toString()).toBe('zero\n1\n2\n')
  })

  test('indentation: tabs in the file, blanks in the text', async () => {
    const { edit, bytes } = await editScene('class A {\r\n\tf() {\r\n\t\treturn 1\r\n\t}\r\n}\r\n')
    const told = await edit(
      '    f() {\n        return 1\n    }',
      '    f() {\n        if (x) {\n            y()\n        }\n        return 2\n    }'
    )
    expect(told).toContain('differs just in indentation')
    expect(bytes('a').toString()).toBe(
      'class A {\r\n\tf() {\r\n\t\tif (x) {\r\n\t\t\ty()\r\n\t\t}\r\n\t\treturn 2\r\n\t}\r\n}\r\n'
    )
  })

  test('indentation: a block that stands further in', async () => {
    const { edit, text } = await editScene('  if (a) {\n    b()\n  }\n')
    await edit('if (a) {\n  b()\n}\n', 'if (a) {\n  c()\n\n  d()\n}\nelse e()\n')
    expect(text('a')).toBe('  if (a) {\n    c()\n\n    d()\n  }\n  else e()\n')
  })

  test('blanks at the end of lines', async () => {
    const { edit, text } = await editScene('one  \ntwo\t\n')
    await edit('one\ntwo\n', 'one\nzwei\n')
    expect(text('a')).toBe('one  \nzwei\n')
  })

  test('only when there is one place', async () => {
    const { fails } = await editScene('\tone()\n\ttwo()\n--\n\t\tone()\n\t\ttwo()\n')
    expect(await fails('one()\ntwo()', 'x')).toMatch(
      /appears 2 times \(lines 1, 4\).*no exact match; these ignore indentation/
    )
    expect(await fails('  --\n  one()', 'x', true)).toContain('replace_all takes exact matches only')
  })

  test('not when the same indentation stands for two', async () => {
    const { fails } = await editScene('  a()\n    b()\n')
    expect(await fails('\ta()\n\tb()', '\tc()\n\td()')).toContain('String not found')
  })

  test('an exact match is preferred to one that is not', async () => {
    const { edit, text } = await editScene('\tone\none\n')
    await edit('\tone', 'x')
    expect(text('a')).toBe('x\none\n')
  })
})

describe('misses', () => {
  test('show the nearest place, with blanks that can be seen', async () => {
    const { fails } = await editScene(
      'function add(a, b) {\r\n\treturn a + b\r\n}\r\n\r\nfunction sub(a, b) {\r\n}\r\n'
    )
    expect(await fails('function add(a,  b) {\n  return a - b\n}', 'x')).toBe(
      [
        'String not found in the file. The nearest place (· is a blank, → a tab, ␍ a carriage return):',
        '  1 function·add(a,·b)·{␍',
        '  not: function·add(a,··b)·{',
        '  2 →return·a·+·b␍',
        '  not: ··return·a·-·b',
        '  3 }␍',
        '  not: }'
      ].join('\n')
    )
  })

  test('point out line numbers that were copied', async () => {
    const { fails } = await editScene('alpha\nbeta\n')
    expect(await fails('1\talpha\n2\tbeta', 'x')).toContain('Leave out the line numbers')
  })

  test('cost no more in long lines', async () => {
    const { fails } = await editScene(`${'ab '.repeat(300_000)}\nab\n`)
    expect(await fails('ab \n cd', 'x')).toContain('String not found')
    expect(await fails('ab ', 'x\ny')).toContain('appears 300000 times')
  })
})
