import './repair.test.ts';
