import './chrome-trace.test.ts';
