import './ll128.test.ts';
