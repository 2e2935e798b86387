/** Serves the built site: `pnpm --filter @nccl-ts/site preview`. */
import { serve } from './serve.ts';

const { url } = await serve(8174);
console.log(`The site is at ${url} until Ctrl+C.`);
