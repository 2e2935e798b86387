import './peer-ahead.test.ts';
