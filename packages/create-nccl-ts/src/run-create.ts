import process from 'node:process';
import { relative } from 'node:path';
import { createProject } from './create-project.ts';

const usage = `Usage: npm create nccl-ts FOLDER

Writes a project into FOLDER: a kernel, a test that checks it for races, and the same check in CI.
`;

/**
 * Runs the command line, and returns the exit code: 0 for success, 1 for a failure, 2 for wrong
 * usage.
 */
export async function runCreate(words: readonly string[]): Promise<number> {
  const [folder, ...rest] = words;
  if (folder === '--help' || folder === '-h') {
    process.stdout.write(usage);
    return 0;
  }
  if (folder === undefined || folder.startsWith('-') || rest.length > 0) {
    process.stderr.write(usage);
    return 2;
  }
  try {
    const created = await createProject(folder);
    const path = relative(process.cwd(), created.folder);
    const enter = path === '' ? '' : `  cd ${path}\n`;
    process.stdout.write(
      `${created.files.map((file) => `  ${file}\n`).join('')}\nMade ${created.name}. Next:\n\n${enter}  npm install\n  npm start        # four simulated ranks run the kernel\n  npm test         # a check for races, ordering and deadlocks\n`,
    );
    return 0;
  } catch (error) {
    process.stderr.write(`error: ${error instanceof Error ? error.message : String(error)}\n`);
    return 1;
  }
}
