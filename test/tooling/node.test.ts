import { expect, test } from 'vitest'

test('tests run on Node 24, whatever node the machine has', () => {
  expect(process.version).toMatch(/^v24\./)
})
