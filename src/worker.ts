/** `carabiner/worker`: for programs that are workers. It loads nothing else of the package. */
export { serve, type Handler, type Handlers } from './lib/hooks/kinds/worker/worker-serve.ts'
