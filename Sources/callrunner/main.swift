print("callrunner")
