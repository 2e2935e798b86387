import { dirname, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

import { apiReports } from './api-reports.ts';
import { publishedPackages } from './published-packages.ts';

const root = join(dirname(fileURLToPath(import.meta.url)), '../../..');
const mode = process.argv.includes('--update') ? 'update' : 'check';

const differing = publishedPackages(root).flatMap((published) => apiReports(root, published, mode));
if (differing.length > 0) {
  console.error(`The public interface differs from its committed report: ${differing.join(', ')}.`);
  console.error('If the change is intended, run `pnpm api` and commit packages/*/etc.');
  process.exitCode = 1;
}
