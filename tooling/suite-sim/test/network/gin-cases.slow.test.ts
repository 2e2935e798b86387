import './gin-cases.test.ts';
