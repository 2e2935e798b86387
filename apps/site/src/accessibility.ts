import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { own } from './folders.ts';

interface AxeResult {
  readonly violations: readonly {
    readonly id: string;
    readonly help: string;
    readonly nodes: readonly { readonly target: readonly unknown[]; readonly failureSummary?: string }[];
  }[];
}

/** The problems that axe-core finds in a page, one on each line. */
export async function accessibilityProblems(page: Page): Promise<readonly string[]> {
  // The page's policy blocks other scripts, so the text is evaluated from outside the page.
  await page.evaluate(await readFile(`${own}/node_modules/axe-core/axe.min.js`, 'utf8'));
  const { violations } = await page.evaluate<AxeResult>('axe.run()');
  return violations.flatMap(({ id, help, nodes }) =>
    nodes.map(
      ({ target, failureSummary = '' }) => `${id}: ${help}: ${String(target)} ${failureSummary.split('\n')[1] ?? ''}`,
    ),
  );
}
