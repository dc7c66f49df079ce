import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    reporters: ['default', './scripts/closing-line.ts'],
    // Most tests wait for processes.
    maxWorkers: 2
  }
})
