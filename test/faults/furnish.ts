import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Programs that cannot be started, for the rows of the table that name them. */
export function furnish(folder: string): void {
  const put = (name: string, bytes: string | Uint8Array, mode = 0o755): void => {
    writeFileSync(join(folder, name), bytes)
    chmodSync(join(folder, name), mode)
  }
  put('no-bit', '#!/bin/sh\nexit 0\n', 0o644)
  put('no-interpreter', '#!/no/such/interpreter\nexit 0\n')
  put('no-such-env', '#!/usr/bin/env no-such-interpreter\nexit 0\n')
  put('garbage', Uint8Array.of(1, 2, 3, 255, 0, 128, 10))
  mkdirSync(join(folder, 'folder'))
}
