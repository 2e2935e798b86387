import './checked.test.ts';
