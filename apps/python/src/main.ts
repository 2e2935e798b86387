import { resolve } from 'node:path';
import { buildWheel } from './build-wheel.ts';

const root = resolve(import.meta.dirname, '../../..');
const [into = resolve(import.meta.dirname, '../dist-wheel')] = process.argv.slice(2);
console.log(await buildWheel(root, resolve(into)));
