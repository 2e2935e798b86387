import { keepCompiled } from './keep-compiled.ts';
import { packageVersion } from './package-version.ts';

const [word, ...others] = process.argv.slice(2);

// Scripts ask for the version alone, which needs none of the commands.
if ((word === '--version' || word === '-V') && others.length === 0) {
  process.stdout.on('error', () => undefined);
  process.stdout.write(`${packageVersion()}\n`);
} else if (word === '--serve' && others.length === 0) {
  const { serveChecks } = await import('./serve/serve-checks.ts');
  await serveChecks();
} else {
  keepCompiled();
  const { runProcess } = await import('./run-process.ts');
  await runProcess();
}
