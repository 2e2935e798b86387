import { serveStdio } from './serve-stdio.ts';

await serveStdio();
