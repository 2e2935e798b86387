import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';

import { transform, type Options } from '@swc/core';

import { linkPackages } from './file-by-file.ts';
import { packageFolders, root, type Pipeline } from './pipeline.ts';

function compile(name: string, minify: boolean): Pipeline {
  const options: Options = {
    swcrc: false,
    configFile: false,
    sourceMaps: true,
    minify,
    module: { type: 'es6' },
    jsc: {
      target: 'es2022',
      parser: { syntax: 'typescript' },
      ...(minify ? { minify: { compress: true, mangle: true, module: true, sourceMap: true } } : {}),
    },
  };
  return {
    name,
    build: async (out, program) => {
      const start = await linkPackages(out, program);
      const folders = [...packageFolders(program).map((folder) => join(root, folder, 'src')), dirname(program.entry)];
      const files = await Promise.all(folders.map(typescriptFiles));
      await Promise.all(files.flat().map(async (file) => compileFile(file, out, options)));
      return [start];
    },
  };
}

async function typescriptFiles(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder, { recursive: true });
  return names.filter((name) => name.endsWith('.ts')).map((name) => join(folder, name));
}

async function compileFile(file: string, out: string, options: Options): Promise<void> {
  const target = join(out, relative(root, file)).replace(/\.ts$/, '.js');
  const made = await transform(await readFile(file, 'utf8'), { ...options, filename: file, sourceFileName: file });
  const { map } = made;
  // The text keeps its length, so that the source map stays valid.
  const code = made.code.replaceAll(/(from ?["']\.[^"']*)\.ts(["'])/g, '$1.js$2');
  await mkdir(dirname(target), { recursive: true });
  await writeFile(target, map === undefined ? code : `${code}\n//# sourceMappingURL=${target.split('/').pop()}.map\n`);
  if (map !== undefined) await writeFile(`${target}.map`, map);
}

export const swc: Pipeline = compile('swc', false);
export const swcMinify: Pipeline = compile('swc --minify', true);
