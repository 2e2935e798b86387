import { join } from 'node:path';
import process from 'node:process';
import { bundlePackage } from './bundle-package.ts';
import { publishedPackages } from './published-packages.ts';

/**
 * Makes the built packages of a checkout ready for a release: `bundle.ts [ROOT]`. It changes
 * `packages/*` and `apps/*` in place.
 */
const root = process.argv[2] ?? join(import.meta.dirname, '../../..');
for (const published of publishedPackages(root)) await bundlePackage(published);
