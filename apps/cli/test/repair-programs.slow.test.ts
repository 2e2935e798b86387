import './repair-programs.test.ts';
