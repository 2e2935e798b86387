import './random-program.test.ts';
