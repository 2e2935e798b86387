import './relax-program.test.ts';
