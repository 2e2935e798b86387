import './random-programs.test.ts';
