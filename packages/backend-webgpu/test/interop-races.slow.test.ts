import './interop-races.test.ts';
