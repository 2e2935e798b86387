/**
 * Runs a smaller set of tests in Debian's WebKitGTK: `pnpm --filter @nccl-ts/site webkit-tests`.
 */
import process from 'node:process';
import { launchWebkit } from './webkit.ts';
import { serve } from './serve.ts';
import { runSmallerTests } from './smaller-tests.ts';

await using server = await serve(0);
await using tab = await launchWebkit();
if (tab === undefined) {
  console.log(
    'There is no /usr/bin/WebKitWebDriver, MiniBrowser or Xvfb (Debian: apt-get install webkit2gtk-driver xvfb), so nothing was tested.',
  );
  process.exit(1);
}
await runSmallerTests('WebKitGTK', tab, server.url);
