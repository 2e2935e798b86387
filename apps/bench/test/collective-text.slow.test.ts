import './collective-text.test.ts';
