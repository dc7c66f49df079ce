// FM53
import { cutStreamTests } from './cut-streams.ts'

cutStreamTests(16)
