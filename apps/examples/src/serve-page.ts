import { parseArgs } from 'node:util';
import { servePage } from './page-server.ts';

const { values } = parseArgs({ options: { port: { type: 'string', default: '8173' } } });
const port = Number(values.port);
if (!Number.isInteger(port) || port < 0 || port > 65535) {
  console.error(`--port ${values.port}: it must be an integer from 0 to 65535`);
  process.exit(2);
}

const { url } = await servePage(port);
console.log(`The page is at ${url} until Ctrl+C. It needs a browser with WebGPU:`);
console.log('Chrome or Edge from 113 on, Safari from 26 on, Firefox from 141 on; not every system has it.');
