import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The entry that every tool builds. */
export const pageEntry: string = fileURLToPath(new URL('page-program.ts', import.meta.url));

/** A page that loads one script, in a folder. */
export async function writePage(folder: string, script: string): Promise<void> {
  const text = `<!doctype html><meta charset="utf-8"><title>kernels</title><body><script type="module" src="${script}"></script>\n`;
  await writeFile(join(folder, 'index.html'), text);
}
