export { createServer } from './create-server.ts';
export { defaultLimits, type Limits } from './limits.ts';
export { serveStdio } from './serve-stdio.ts';
