import './gin.test.ts';
