// Q2
import { trustByteTests } from './trust-bytes.ts'

trustByteTests(1)
