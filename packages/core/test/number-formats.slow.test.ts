import './number-formats.test.ts';
