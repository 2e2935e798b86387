import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { statSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { watch } from 'chokidar';
import { counted } from '../output/counted.ts';
import { printOut } from '../output/print.ts';
import { visibleLine } from '../output/visible-text.ts';
import { isLoadedFiles, WATCHED } from '../module/watched-process.ts';

/**
 * Runs the command line repeatedly without --watch, each time in a new process, when one of the
 * files or its imports changes. It does not return.
 */
export async function watchCheck(files: readonly string[]): Promise<never> {
  // Later output has no reader.
  process.stdout.once('error', () => process.exit());
  for (;;) {
    const started = Date.now();
    const loaded = await checkInProcess();
    const watched = [...new Set([...files.map((file) => resolve(file)), ...loaded])];
    const changed = await firstChange(watched, started, () => {
      printOut(`\nwatching ${counted(watched.length, 'file')}: change a file to check again\n`);
    });
    printOut(`changed: ${visibleLine(relative(process.cwd(), changed))}\n\n`);
  }
}

/** Returns the files that the process has loaded, except those of installed packages. */
async function checkInProcess(): Promise<readonly string[]> {
  const [program = '', ...args] = process.argv.slice(1).filter((word) => word !== '--watch');
  const child = spawn(process.execPath, [...process.execArgv, program, ...args], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    env: { ...process.env, [WATCHED]: '1' },
  });
  const loaded = new Set<string>();
  child.on('message', (message) => {
    if (!isLoadedFiles(message)) return;
    for (const name of message.loaded) {
      const file = fileOf(name);
      if (file !== undefined) loaded.add(file);
    }
  });
  await once(child, 'close');
  return [...loaded];
}

function fileOf(name: string): string | undefined {
  const [path = ''] = name.split('?');
  if (path.includes('/node_modules/') || path.includes('\\node_modules\\')) return undefined;
  if (path.startsWith('file:')) return fileURLToPath(path);
  return /^([a-z]{2,}:)/i.test(path) ? undefined : resolve(path);
}

/**
 * Returns the first of the files that has changed since `since`, or that changes next. `onReady` is
 * called once changes are noticed.
 */
async function firstChange(files: readonly string[], since: number, onReady: () => void): Promise<string> {
  const watcher = watch([...files], { ignoreInitial: true });
  try {
    const next = new Promise<string>((resolved) => {
      watcher.on('all', (_, path) => resolved(path));
    });
    await once(watcher, 'ready');
    const before = files.find((file) => (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0) > since);
    if (before !== undefined) return before;
    onReady();
    return await next;
  } finally {
    await watcher.close();
  }
}
