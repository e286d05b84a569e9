from scalemark import main

main()
