import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

import { linkPackages } from './file-by-file.ts';
import { packageFolders, root, toolPath, type Pipeline } from './pipeline.ts';

const execute = promisify(execFile);

/** The compiler, which also built the published packages. */
export const tsc: Pipeline = {
  name: 'tsc',
  build: async (out, program) => {
    const start = await linkPackages(out, program);
    const config = join(out, 'tsconfig.json');
    const compilerOptions = {
      target: 'es2022',
      module: 'nodenext',
      moduleDetection: 'force',
      rewriteRelativeImportExtensions: true,
      sourceMap: true,
      noCheck: true,
      types: [],
      noResolve: true,
      skipLibCheck: true,
      rootDir: root,
      outDir: out,
    };
    const include = [...packageFolders(program).map((folder) => join(root, folder, 'src')), dirname(program.entry)];
    await writeFile(config, JSON.stringify({ compilerOptions, include }));
    await execute(process.execPath, [join(dirname(toolPath('typescript/package.json')), 'bin/tsc'), '-p', config]);
    return [start];
  },
};
