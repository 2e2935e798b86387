import './endless-programs.test.ts';
