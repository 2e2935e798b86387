import './compile.test.ts';
