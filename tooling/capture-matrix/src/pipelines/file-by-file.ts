import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';

import { packageFolders, root, type PipelineInput } from './pipeline.ts';

/**
 * Lets Node find the workspace's packages in `out`, where a compiler writes every source file at
 * its path in the repository. Returns the file from which the program starts.
 */
export async function linkPackages(out: string, program: PipelineInput): Promise<string> {
  await mkdir(join(out, 'node_modules/@nccl-ts'), { recursive: true });
  await symlink(join(root, 'packages/kernel/node_modules/acorn'), join(out, 'node_modules/acorn'), 'junction');
  for (const folder of packageFolders(program)) {
    await mkdir(join(out, folder), { recursive: true });
    await writeFile(join(out, folder, 'package.json'), '{ "type": "module", "exports": "./src/index.js" }');
    await symlink(join(out, folder), join(out, 'node_modules/@nccl-ts', folder.slice('packages/'.length)), 'junction');
  }
  const start = join(out, relative(root, program.entry)).replace(/\.ts$/, '.js');
  await mkdir(dirname(start), { recursive: true });
  await writeFile(join(out, 'package.json'), '{ "type": "module" }');
  return start;
}
