import './times.test.ts';
