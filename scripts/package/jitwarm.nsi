; The installer for Windows: makensis -DVERSION=... -DFILES=FOLDER -DOUT=... jitwarm.nsi; FOLDER has
; jitwarm.exe, README.md, LICENSE, third-party.md and docs
;
;   /S             silent               /CurrentUser, /AllUsers   for whom (default: for all where that may be)
;   /startup=1     the task that keeps the cache warm at each logon, too
;   /D=C:\folder   elsewhere; must come last
Unicode true
Target amd64-unicode
SetCompressor /SOLID lzma
SetDateSave off ; the times of a checkout are not part of a release
ManifestDPIAware true
Name "jitwarm ${VERSION}"
OutFile "${OUT}"
VIProductVersion "${VERSION}.0"
VIAddVersionKey ProductName jitwarm
VIAddVersionKey ProductVersion "${VERSION}"
VIAddVersionKey FileVersion "${VERSION}"
VIAddVersionKey FileDescription "jitwarm setup"
VIAddVersionKey LegalCopyright "Copyright (c) 2026 the jitwarm authors; MIT license"

!define MULTIUSER_EXECUTIONLEVEL Highest
!define MULTIUSER_MUI
!define MULTIUSER_INSTALLMODE_COMMANDLINE
!define MULTIUSER_USE_PROGRAMFILES64
!define MULTIUSER_INSTALLMODE_INSTDIR jitwarm
!define MULTIUSER_INSTALLMODE_DEFAULT_REGISTRY_KEY "Software\Microsoft\Windows\CurrentVersion\Uninstall\jitwarm"
!define MULTIUSER_INSTALLMODE_DEFAULT_REGISTRY_VALUENAME UninstallString
!include MultiUser.nsh
!include MUI2.nsh
!include LogicLib.nsh
!include FileFunc.nsh
!include WinMessages.nsh
!include x64.nsh

!define KEY "Software\Microsoft\Windows\CurrentVersion\Uninstall\jitwarm"

!insertmacro MULTIUSER_PAGE_INSTALLMODE
!insertmacro MUI_PAGE_COMPONENTS
!insertmacro MUI_PAGE_DIRECTORY
!insertmacro MUI_PAGE_INSTFILES
!insertmacro MUI_UNPAGE_CONFIRM
!insertmacro MUI_UNPAGE_INSTFILES
!insertmacro MUI_LANGUAGE English

Section "jitwarm" program
    SectionIn RO
    SetOutPath $INSTDIR
    File /r "${FILES}/*"
    WriteUninstaller "$INSTDIR\uninstall.exe"
    WriteRegStr SHCTX "${KEY}" DisplayName jitwarm
    WriteRegStr SHCTX "${KEY}" DisplayVersion "${VERSION}"
    WriteRegStr SHCTX "${KEY}" Publisher jitwarm
    WriteRegStr SHCTX "${KEY}" InstallLocation "$INSTDIR"
    WriteRegStr SHCTX "${KEY}" DisplayIcon "$INSTDIR\jitwarm.exe"
    WriteRegStr SHCTX "${KEY}" UninstallString '"$INSTDIR\uninstall.exe" /$MultiUser.InstallMode'
    WriteRegStr SHCTX "${KEY}" QuietUninstallString '"$INSTDIR\uninstall.exe" /$MultiUser.InstallMode /S'
    WriteRegDWORD SHCTX "${KEY}" NoModify 1
    WriteRegDWORD SHCTX "${KEY}" NoRepair 1
    ${GetSize} "$INSTDIR" "/S=0K" $0 $1 $2
    WriteRegDWORD SHCTX "${KEY}" EstimatedSize $0
SectionEnd

; A new console finds it by PATH; Win+R and ShellExecute by App Paths. jitwarm itself changes PATH, because a long one does not fit into
; a variable of this script.
Section "Find it as jitwarm from a console, from Run and from scripts" path
    WriteRegStr SHCTX "Software\Microsoft\Windows\CurrentVersion\App Paths\jitwarm.exe" "" "$INSTDIR\jitwarm.exe"
    ${If} $MultiUser.InstallMode == AllUsers
        nsExec::ExecToLog '"$INSTDIR\jitwarm.exe" installer path --system'
    ${Else}
        nsExec::ExecToLog '"$INSTDIR\jitwarm.exe" installer path'
    ${EndIf}
    Pop $0
    ${If} $0 != 0
        DetailPrint "PATH could not be changed ($0): add $INSTDIR to it by hand"
    ${EndIf}
SectionEnd

Section /o "Keep the cache warm at each logon" startup
    ${If} $MultiUser.InstallMode == AllUsers
        nsExec::ExecToLog '"$INSTDIR\jitwarm.exe" startup install --system'
    ${Else}
        nsExec::ExecToLog '"$INSTDIR\jitwarm.exe" startup install'
    ${EndIf}
    Pop $0
    ${If} $0 != 0
        DetailPrint "the logon task could not be registered ($0); jitwarm startup install tries it again"
    ${EndIf}
SectionEnd

Function .onInit
    ${IfNot} ${RunningX64}
        MessageBox MB_OK|MB_ICONSTOP "jitwarm needs a 64-bit Windows." /SD IDOK
        SetErrorLevel 2
        Quit
    ${EndIf}
    SetRegView 64
    !insertmacro MULTIUSER_INIT
    ${GetParameters} $0
    ${GetOptions} $0 "/startup=" $1
    ${IfNot} ${Errors}
    ${AndIf} $1 == 1
        SectionSetFlags ${startup} ${SF_SELECTED}
    ${EndIf}
FunctionEnd

Function un.onInit
    SetRegView 64
    !insertmacro MULTIUSER_UNINIT
FunctionEnd

; What jitwarm wrote for users (its memory, packs) stays with them: it asks, and /S keeps it. The driver's cache stays.
Section Uninstall
    ${If} $MultiUser.InstallMode == AllUsers
        nsExec::ExecToLog '"$INSTDIR\jitwarm.exe" startup remove --system'
        Pop $0
        nsExec::ExecToLog '"$INSTDIR\jitwarm.exe" installer no-path --system'
    ${Else}
        nsExec::ExecToLog '"$INSTDIR\jitwarm.exe" startup remove'
        Pop $0
        nsExec::ExecToLog '"$INSTDIR\jitwarm.exe" installer no-path'
    ${EndIf}
    Pop $0
    MessageBox MB_YESNO|MB_DEFBUTTON2 "Remove jitwarm's memory and your packs, too? The driver's cache stays: warm software stays warm." /SD IDNO IDNO kept
    nsExec::ExecToLog '"$INSTDIR\jitwarm.exe" uninstall --yes --packs'
    Pop $0
kept:
    Delete "$INSTDIR\jitwarm.exe"
    Delete "$INSTDIR\README.md"
    Delete "$INSTDIR\LICENSE"
    Delete "$INSTDIR\third-party.md"
    Delete "$INSTDIR\docs\dev\*.md"
    RMDir "$INSTDIR\docs\dev"
    Delete "$INSTDIR\docs\*.md"
    Delete "$INSTDIR\docs\first-start.*"
    Delete "$INSTDIR\docs\examples\post-install"
    RMDir "$INSTDIR\docs\examples"
    RMDir "$INSTDIR\docs"
    Delete "$INSTDIR\uninstall.exe"
    RMDir "$INSTDIR"
    DeleteRegKey SHCTX "Software\Microsoft\Windows\CurrentVersion\App Paths\jitwarm.exe"
    DeleteRegKey SHCTX "${KEY}"
SectionEnd
