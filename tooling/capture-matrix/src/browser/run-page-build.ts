import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { openPage } from './open-page.ts';
import type { PageBuild } from './page-builds.ts';
import type { PageOutcome, PageScope } from './page-outcome.ts';

/** Builds the page with one tool, and runs it in headless Chromium. */
export async function runPageBuild({ serve }: PageBuild, scope: PageScope): Promise<PageOutcome> {
  const out = await mkdtemp(join(tmpdir(), 'nccl-ts-page-'));
  try {
    const served = await serve(out);
    try {
      return await openPage(served.url, scope);
    } finally {
      await served[Symbol.asyncDispose]();
    }
  } finally {
    await rm(out, { recursive: true, force: true });
  }
}
