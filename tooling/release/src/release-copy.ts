import { cpSync, existsSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { textAt } from '@nccl-ts/fences';
import { runOrThrow } from './command.ts';
import { bundlePackage, publishedPackages, type PublishedPackage } from '@nccl-ts/packaging';
import type { Registry } from './registry.ts';

/**
 * Clones the last commit of the repository at `root` into `folder` and prepares the clone for a
 * release: versions by the changesets, and packages that are built and bundled. Uncommitted changes
 * are not part of it.
 */
export async function makeRelease(root: string, folder: string): Promise<readonly PublishedPackage[]> {
  await runOrThrow('git', ['clone', '--quiet', '--no-hardlinks', root, folder], { cwd: root });
  // The clone uses the installed packages of this checkout. Links between packages are relative, so
  // they point to the clone's own.
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'), 'junction');
  for (const group of ['packages', 'apps', 'tooling']) {
    for (const name of readdirSync(join(folder, group))) {
      const installed = join(root, group, name, 'node_modules');
      if (existsSync(installed))
        cpSync(installed, join(folder, group, name, 'node_modules'), { recursive: true, verbatimSymlinks: true });
    }
  }
  await runOrThrow(process.execPath, [toolOf(root, '@changesets/cli', 'changeset'), 'version'], { cwd: folder });
  await runOrThrow(process.execPath, ['tooling/bootstrap/src/worker-text.mjs'], { cwd: folder });
  await runOrThrow(process.execPath, [toolOf(root, 'typescript', 'tsc'), '-b', 'tsconfig.build.json'], { cwd: folder });
  const packages = publishedPackages(folder);
  for (const one of packages) await bundlePackage(one);
  return packages;
}

/** Publishes all packages of a release with the command of a real release. */
export async function publish(folder: string, registry: Registry, cache: string): Promise<void> {
  writeFileSync(join(folder, '.npmrc'), registry.npmrc(cache));
  const pnpm = textAt(JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')), 'packageManager') ?? 'pnpm';
  const changeset = [process.execPath, toolOf(folder, '@changesets/cli', 'changeset'), 'publish', '--no-git-tag'];
  // Through npx, so that pnpm, which changesets calls, is available even if it is not installed.
  await runOrThrow('npx', ['--yes', '-p', pnpm, '--', ...changeset], {
    cwd: folder,
    env: { npm_config_registry: registry.url, npm_config_provenance: 'false' },
  });
}

/** The script that a command of a package in the root runs. */
function toolOf(root: string, packageName: string, name: string): string {
  const folder = join(root, 'node_modules', packageName);
  const manifest: unknown = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  return join(folder, textAt(manifest, 'bin', name) ?? textAt(manifest, 'bin') ?? '');
}
