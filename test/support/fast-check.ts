/** fast-check, drawing from the seed of the run. Tests import it from here, so that one number repeats all of them. */
import * as fc from 'fast-check'
import { SEED } from './seed.ts'

fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: SEED })

export * from 'fast-check'
